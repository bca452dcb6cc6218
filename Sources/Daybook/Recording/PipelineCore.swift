import CThreads
import DaybookBase
import DaybookJournal

/// The pipeline without the type of its context: what every log call reaches.
final class PipelineCore: Sendable {
    let switchboard: Switchboard
    let journal: Journal
    let clock: PipelineClock
    let key: HashKey
    let drain: Drain
    let maximumFrame: Int
    private let reporter: Reporter
    private let unroutedCount = Atomic<UInt64>(0)
    let truncatedCount = Atomic<UInt64>(0)
    let filteredCount = Atomic<UInt64>(0)

    init(
        table: RoutingTable, journal: Journal, clock: PipelineClock, key: HashKey, drain: Drain, reporter: Reporter
    ) {
        switchboard = Switchboard(table)
        self.journal = journal
        maximumFrame = journal.options.maximumFrameBytes
        self.clock = clock
        self.key = key
        self.drain = drain
        self.reporter = reporter
    }

    deinit {
        // Nobody can log any more: the thread would wait for ever.
        _ = drain.ask(.stop(nil))
    }

    /// Below it no route takes anything. Follows the switches.
    var threshold: LevelThreshold { switchboard.threshold }
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
        switchboard.withTable { table in
            let descriptor = event.descriptor
            guard table.takes(descriptor.level),
                let passage = admit(
                    descriptor.routing(in: table), tag: descriptor.tag, level: descriptor.level, table)
            else { return }
            write(
                passage, constantPart: descriptor.encoded, level: descriptor.level, time: time ?? clock.now(), table
            ) { fields in CallScope.encoding.run { event.encode(into: &fields) } }
        }
    }

    /// Records an event without definition.
    func record(_ level: Level, event tag: String, _ attributes: Attributes) {
        switchboard.withTable { table in
            guard table.takes(level) else { return }
            table.withKnownTag(tag, level) { known in
                guard let passage = admit(known.routing, tag: tag, level: level, table) else { return }
                write(passage, constantPart: known.constantPart, level: level, time: clock.now(), table) {
                    $0.add(attributes)
                }
            }
        }
    }

    /// Records an event without definition whose attributes a closure sets; it is called only for a record that some
    /// route takes.
    func record(_ level: Level, event tag: String, _ fill: (inout AttributeBuilder) -> Void) {
        switchboard.withTable { table in
            guard table.takes(level) else { return }
            table.withKnownTag(tag, level) { known in
                guard let passage = admit(known.routing, tag: tag, level: level, table) else { return }
                let time = clock.now()
                AttributeBuilder.encode(key: key, fill) { encoded in
                    guard let encoded else { return reportTooLong() }
                    write(passage, constantPart: known.constantPart, level: level, time: time, table) {
                        $0.add(encoded: encoded)
                    }
                }
            }
        }
    }

    /// Records a message or an error.
    func record(
        _ level: Level, tag: String, message: String, attributes: Attributes, site: CallSite? = nil
    ) {
        switchboard.withTable { table in
            guard table.takes(level),
                let passage = admit(table.cachedRouting(tag: tag, level: level), tag: tag, level: level, table)
            else { return }
            let head = LogRecordEncoder.Head(
                time: clock.now(), level: level, tag: tag, isEvent: false, message: message,
                span: SpanContext.current, site: site)
            write(passage, level: level, flags: .record, table) {
                [key, table = Unmanaged.passUnretained(table)] buffer, passage in
                LogRecordEncoder.encode(head, key: key, into: buffer) {
                    $0.add(attributes)
                    passage?.encode(into: &$0, table)
                }
            }
        }
    }

    /// Records what was recorded elsewhere, with its own time, place and span.
    func forward(_ record: Record) {
        switchboard.withTable { table in
            guard table.takes(record.level),
                let passage = admit(
                    table.cachedRouting(tag: record.tag, level: record.level), tag: record.tag, level: record.level,
                    table)
            else { return }
            write(passage, level: record.level, flags: record.isSpan ? .spanEnd : .record, table) {
                [key, table = Unmanaged.passUnretained(table)] buffer, passage in
                RecordEncoder.encode(record, key: key, into: buffer) { passage?.encode(into: &$0, table) }
            }
        }
    }

    /// Stores that a span has started, for the outputs that get it if it never ends; never sent by itself. Returns
    /// whether it may be stored, so that its end must be told.
    ///
    /// Filters see it as they see a record, but for gates that count: nothing may come to the disk that they would have
    /// taken out.
    func begin(_ head: SpanEncoder.Head) -> Bool {
        switchboard.withTable { table in
            guard table.takes(head.level) else { return false }
            let routing = table.cachedRouting(tag: head.tag, level: head.level)
            guard let passage = admitStart(routing, head.tag, head.level, table) else { return false }
            return write(passage, level: head.level, flags: .spanStart, table) {
                [key, table = Unmanaged.passUnretained(table)] buffer, passage in
                SpanEncoder.encode(head, key: key, into: buffer) { passage?.encode(into: &$0, table) }
            }
        }
    }

    /// Records a span that has ended.
    /// - Parameter isStarted: Whether its start may be stored. If its end then is not, that is noted, or the next launch
    ///   would take the span for one that a crash has left open.
    func record(_ head: SpanEncoder.Head, _ attributes: Attributes, isStarted: Bool) {
        switchboard.withTable { table in
            let isStored = end(head, attributes, table)
            guard isStarted, !isStored else { return }
            journal.append(
                mask: UInt64(table.batchOutputs.rawValue), flags: .spanDropped, capacity: maximumFrame
            ) { SpanEncoder.encodeIdentity(head.context, into: $0) }
        }
    }

    /// Whether a frame that tells the span's end is stored.
    private func end(_ head: SpanEncoder.Head, _ attributes: Attributes, _ table: RoutingTable) -> Bool {
        guard table.takes(head.level),
            let passage = admit(
                table.cachedRouting(tag: head.tag, level: head.level), tag: head.tag, level: head.level, table)
        else { return false }
        return write(passage, level: head.level, flags: .spanEnd, table) {
            [key, table = Unmanaged.passUnretained(table)] buffer, passage in
            SpanEncoder.encode(head, key: key, into: buffer) {
                $0.add(attributes)
                passage?.encode(into: &$0, table)
            }
        }
    }

    // MARK: The way into the journal

    /// Asks the routes and the gates; `nil` for a record that goes nowhere, which has then cost neither clock nor encoding.
    /// The tag is a closure, so that a call whose tag nobody asks for counts no reference to it.
    @inline(__always)
    private func admit(
        _ routing: Routing, tag: @autoclosure () -> String, level: Level, _ table: RoutingTable
    ) -> Passage? {
        var mask = routing.mask
        let scope = CallScope.current
        if !scope.isEmpty {
            guard isAllowed(in: scope) else { return nil }
            mask.subtract(scope.outputs)
        }
        if mask.contains(.filtered) { return filter(Routing(mask: mask, chain: routing.chain), tag(), level, table) }
        return isRouted(mask, tag: tag()) ? Passage(mask: mask) : nil
    }

    /// Whether a log call may come from here. From within a filter, it would be filtered again without end; while a
    /// record is encoded, the journal waits for that one. Said once.
    @inline(never)
    func isAllowed(in scope: CallScope) -> Bool {
        if scope.contains(.filter) { report("A filter logged while it was filtering; such records are dropped.") }
        if scope.contains(.encoding) {
            report("A LogEvent, a LogValue or an Enrichment logged while it was encoded; such records are dropped.")
        }
        return scope.isDisjoint(with: [.filter, .encoding])
    }

    /// Whether any output takes the record; counts and reports tags that no route matches.
    @inline(__always)
    func isRouted(_ mask: RouteMask, tag: @autoclosure () -> String) -> Bool {
        if !mask.outputs.isEmpty { return true }
        if mask.contains(.unrouted) { noteUnrouted(tag()) }
        return false
    }

    @inline(never)
    private func noteUnrouted(_ tag: String) {
        unroutedCount.add(1, ordering: .relaxed)
        report(
            "No route matches the tag \"\(tag)\": its records go nowhere. Add a Route for it, or Route(\"**\", to: …).")
    }

    /// Writes the record's bytes, with what the filters of a passage add; the count, or -1 if there is too little room.
    typealias Encoding = (UnsafeMutableRawBufferPointer, Passage?) -> Int

    /// Stores a record; by way of a `Record` where a filter, an output on this thread or its size demands one. Returns
    /// whether a frame of this kind is stored, though perhaps for other outputs than were asked for.
    @inline(__always)
    @discardableResult
    private func write(
        _ passage: Passage, level: Level, flags: FrameFlags, _ table: RoutingTable, encode: Encoding
    ) -> Bool {
        if passage.mask.isDisjoint(with: [.filtered, table.inlineOutputs]) {
            if append(passage.mask, level: level, flags: flags, table, encode: { encode($0, nil) }) { return true }
            return store(encode: encode, passage, flags: flags, table)
        }
        return writeFiltered(passage, level: level, flags: flags, table, encode: encode)
    }

    /// Stores an event.
    @inline(__always)
    private func write(
        _ passage: Passage, constantPart: UnsafeRawBufferPointer, level: Level, time: Int64, _ table: RoutingTable,
        attributes: (inout FieldEncoder) -> Void
    ) {
        let span = SpanContext.current
        write(passage, level: level, flags: .record, table) {
            [key, table = Unmanaged.passUnretained(table)] buffer, passage in
            LogRecordEncoder.encode(constantPart, time: time, span: span, key: key, into: buffer) {
                attributes(&$0)
                passage?.encode(into: &$0, table)
            }
        }
    }

    /// Appends what `encode` writes; `false` if it does not fit.
    @inline(__always)
    func append(
        _ mask: RouteMask, level: Level, flags: FrameFlags, _ table: RoutingTable,
        encode: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Bool {
        var isTooLong = false
        let appended = journal.append(
            mask: UInt64(mask.outputs.rawValue), flags: flags.union(.priority(of: level)), capacity: maximumFrame
        ) {
            let count = encode($0)
            isTooLong = count < 0
            return count
        }
        if isTooLong { return false }
        drain.note(appended, isImmediate: !mask.isDisjoint(with: table.immediateOutputs), level: level)
        return true
    }
}

/// What has been decided of a record before it is encoded: where it goes, and by which filters. A trivial value, so that a
/// log call counts no references.
struct Passage {
    /// As the routing table gave it; `filtered` says that `chain` and `weight` have a meaning.
    let mask: RouteMask
    let chain: UInt8
    /// How many records it stands for.
    let weight: Double

    init(mask: RouteMask, chain: UInt8 = 0, weight: Double = 1) {
        self.mask = mask
        self.chain = chain
        self.weight = weight
    }

    /// Writes what the chain adds. The table by its address, since a closure that holds on to it counts a reference.
    @inline(never)
    func encode(into fields: inout FieldEncoder, _ table: Unmanaged<RoutingTable>) {
        table._withUnsafeGuaranteedRef { $0.chain(chain).encode(weight: weight, into: &fields) }
    }
}

/// Which outputs and filters the current thread is inside of, and whether it is encoding, so that what they log themselves
/// cannot come back to them without end.
///
/// Kept in one word of the thread's own: no allocation, and nothing to clean up when a thread ends.
struct CallScope: OptionSet, Sendable {
    let rawValue: UInt32

    /// Within an output that is called on this thread.
    static func output(_ index: Int) -> CallScope { CallScope(rawValue: RouteMask(output: index).rawValue) }

    /// Within a filter.
    static let filter = CallScope(rawValue: RouteMask.filtered.rawValue)

    /// Within what a record is encoded by, under the journal's lock.
    static let encoding = CallScope(rawValue: 1 << 31)

    /// What this thread is inside of.
    @inline(__always)
    static var current: CallScope { CallScope(rawValue: daybook_scope()) }

    /// The outputs that are being called on this thread.
    var outputs: RouteMask { RouteMask(rawValue: rawValue).outputs }

    /// Runs `body` inside the scope.
    @inline(__always)
    func run<Result>(_ body: () -> Result) -> Result {
        let before = Self.current
        daybook_set_scope(before.union(self).rawValue)
        defer { daybook_set_scope(before.rawValue) }
        return body()
    }
}
