import DaybookJournal
import Synchronization

/// The pipeline without the type of its context: what every log call reaches.
final class PipelineCore: Sendable {
    let table: RoutingTable
    let journal: Journal
    let clock: PipelineClock
    let key: HashKey
    let drain: Drain
    /// Below this level no route takes anything.
    let minimumLevel: Level
    private let maximumFrame: Int
    private let reporter: Reporter
    private let unroutedCount = Atomic<UInt64>(0)
    private let truncatedCount = Atomic<UInt64>(0)
    private let filteredCount = Atomic<UInt64>(0)

    init(
        table: RoutingTable, journal: Journal, clock: PipelineClock, key: HashKey, drain: Drain, reporter: Reporter
    ) {
        self.table = table
        self.journal = journal
        maximumFrame = journal.options.maximumFrameBytes
        self.clock = clock
        self.key = key
        self.drain = drain
        self.reporter = reporter
        minimumLevel = table.minimumLevel
    }

    deinit {
        // Nobody can log any more: the thread would wait for ever.
        _ = drain.ask(.stop(nil))
    }

    /// Records whose tag no route matches.
    var unrouted: UInt64 { unroutedCount.load(ordering: .relaxed) }
    /// Records whose longest values were cut.
    var truncated: UInt64 { truncatedCount.load(ordering: .relaxed) }

    /// Records that a filter dropped.
    var filtered: UInt64 { filteredCount.load(ordering: .relaxed) }

    /// Tells the user, once per text.
    func report(_ text: String) { reporter.report(text) }

    // MARK: What logs call

    /// Records a defined event.
    func record(_ event: some LogEvent, time: Int64? = nil) {
        let descriptor = event.descriptor
        guard descriptor.level >= minimumLevel else { return }
        let mask = withoutCallers(descriptor.routes(in: table))
        guard isRouted(mask, tag: descriptor.tag) else { return }
        let time = time ?? clock.now()
        let span = SpanContext.current
        write(mask, level: descriptor.level, flags: .record) { [key] buffer in
            LogRecordEncoder.encode(descriptor, time: time, span: span, key: key, into: buffer) {
                event.encode(into: &$0)
            }
        }
    }

    /// Records a message, an error or an event without definition. The level has been checked.
    func record(
        _ level: Level, tag: String, isEvent: Bool = false, message: String?, attributes: Attributes,
        site: CallSite? = nil, time: Int64? = nil
    ) {
        let mask = withoutCallers(table.cachedRoutes(tag: tag, level: level))
        guard isRouted(mask, tag: tag) else { return }
        let head = LogRecordEncoder.Head(
            time: time ?? clock.now(), level: level, tag: tag, isEvent: isEvent, message: message,
            span: SpanContext.current, site: site)
        write(mask, level: level, flags: .record) { [key] buffer in
            LogRecordEncoder.encode(head, key: key, into: buffer) { $0.add(attributes) }
        }
    }

    /// Stores that a span has started; never sent by itself.
    func begin(_ head: SpanEncoder.Head) {
        guard head.level >= minimumLevel else { return }
        let mask = table.cachedRoutes(tag: head.tag, level: head.level).intersection(table.storedOutputs)
        guard !mask.isEmpty else { return }
        _ = journal.append(mask: UInt64(mask.rawValue), flags: .spanStart, capacity: maximumFrame) {
            [key] buffer in
            SpanEncoder.encode(head, key: key, into: buffer) { _ in }
        }
    }

    /// Records a span that has ended.
    func record(_ head: SpanEncoder.Head, _ attributes: Attributes) {
        guard head.level >= minimumLevel else { return }
        let mask = withoutCallers(table.cachedRoutes(tag: head.tag, level: head.level))
        guard isRouted(mask, tag: head.tag) else { return }
        write(mask, level: head.level, flags: .spanEnd) { [key] buffer in
            SpanEncoder.encode(head, key: key, into: buffer) { $0.add(attributes) }
        }
    }

    // MARK: The way into the journal

    /// Whether any output takes the record; counts and reports tags that no route matches.
    @inline(__always)
    private func isRouted(_ mask: RouteMask, tag: String) -> Bool {
        if !mask.outputs.isEmpty { return true }
        if mask.contains(.unrouted) { noteUnrouted(tag) }
        return false
    }

    /// What an output logs while it takes a record goes to the other outputs only, or it would log for ever.
    @inline(__always)
    private func withoutCallers(_ mask: RouteMask) -> RouteMask {
        table.callsOutputs ? mask.subtracting(CallScope.outputsBeingCalled) : mask
    }

    private func noteUnrouted(_ tag: String) {
        unroutedCount.wrappingAdd(1, ordering: .relaxed)
        report(
            "No route matches the tag \"\(tag)\": its records go nowhere. Add a Route for it, or Route(\"**\", to: …).")
    }

    /// Stores a record that `encode` writes; by way of a `Record` where a filter, an output on this thread or its size
    /// demands one.
    @inline(__always)
    private func write(
        _ mask: RouteMask, level: Level, flags: FrameFlags, encode: (UnsafeMutableRawBufferPointer) -> Int
    ) {
        if mask.isDisjoint(with: [.filtered, table.inlineOutputs]) {
            var isTooLong = false
            let appended = journal.append(mask: UInt64(mask.outputs.rawValue), flags: flags, capacity: maximumFrame) {
                let count = encode($0)
                isTooLong = count < 0
                return count
            }
            if !isTooLong {
                return drain.note(appended, isImmediate: !mask.isDisjoint(with: table.immediateOutputs), level: level)
            }
        }
        writeWhole(mask, flags: flags, encode: encode)
    }

    @inline(never)
    private func writeWhole(_ mask: RouteMask, flags: FrameFlags, encode: (UnsafeMutableRawBufferPointer) -> Int) {
        guard let record = Self.decoded(isSpan: flags.contains(.spanEnd), encode) else {
            return report("A record of more than \(Self.maximumRecord) bytes was not recorded. Log less at once.")
        }
        guard mask.contains(.filtered) else { return store(record, mask: mask) }
        guard !CallScope.isInFilter else {
            return report("A filter logged while it was filtering; such records are dropped.")
        }
        filter(record, from: 0)
    }

    /// The most a single record may take before it is shortened; beyond it, it is refused.
    private static let maximumRecord = 64 << 20

    private static func decoded(isSpan: Bool, _ encode: (UnsafeMutableRawBufferPointer) -> Int) -> Record? {
        var capacity = 4096
        while capacity <= maximumRecord {
            var failed = false
            let payload = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                count = encode(UnsafeMutableRawBufferPointer(buffer))
                failed = count < 0
                count = max(0, count)
            }
            if !failed { return payload.withUnsafeBytes { try? RecordDecoder.decode($0, isSpan: isSpan) } }
            capacity *= 4
        }
        return nil
    }

    /// Runs the filters from `index` on, and stores what comes out of them.
    private func filter(_ record: Record, from index: Int) {
        var record = record
        for next in index..<table.filters.count {
            let entry = table.filters[next]
            guard let captured = entry.pattern.match(record.tag) else { continue }
            switch entry.action {
            case .enrich(let enrichment):
                record.attributes.elements += enrichment.attributes(key: key).elements
            case .gate(let gate):
                guard case .pass(let weight) = gate.verdict(tag: record.tag, level: record.level) else {
                    filteredCount.wrappingAdd(1, ordering: .relaxed)
                    return
                }
                if weight != 1 { record.attributes[WireName.sampleWeight] = Value(weight) }
            case .rewrite(let filter):
                var results: [Record] = []
                CallScope.filter.run {
                    filter.filter(record, captured: captured.isEmpty ? nil : captured) { results.append($0) }
                }
                if results.isEmpty { filteredCount.wrappingAdd(1, ordering: .relaxed) }
                for result in results { self.filter(result, from: next + 1) }
                return
            }
        }
        let mask = table.cachedRoutes(tag: record.tag, level: record.level)
        guard isRouted(mask, tag: record.tag) else { return }
        store(record, mask: mask)
    }

    /// Stores a record, shortened if it must be, and calls the outputs that want it on this thread.
    private func store(_ record: Record, mask: RouteMask) {
        var record = record
        let stored = mask.intersection(table.storedOutputs)
        if !stored.isEmpty {
            let flags: FrameFlags = record.kind == .span || record.kind == .request ? .spanEnd : .record
            var limit = maximumFrame
            while true {
                var isTooLong = false
                let appended = journal.append(mask: UInt64(stored.rawValue), flags: flags, capacity: maximumFrame) {
                    let count = RecordEncoder.encode(record, key: key, into: $0)
                    isTooLong = count < 0
                    return count
                }
                guard isTooLong else {
                    record.sequence = appended.sequence
                    drain.note(
                        appended, isImmediate: !mask.isDisjoint(with: table.immediateOutputs), level: record.level)
                    break
                }
                if limit == maximumFrame { truncatedCount.wrappingAdd(1, ordering: .relaxed) }
                guard limit > 512 else {
                    report(
                        "A record with the tag \"\(record.tag.prefix(100))\" has too many attributes to store; it is dropped."
                    )
                    break
                }
                record = record.shortened(to: limit)
                limit /= 2
            }
        }
        let inline = mask.intersection(table.inlineOutputs)
        guard !inline.isEmpty else { return }
        for (index, target) in table.outputs.enumerated() where inline.contains(RouteMask(output: index)) {
            if case .output(let output, _) = target { CallScope.output(index).run { output.write(record) } }
        }
    }
}
