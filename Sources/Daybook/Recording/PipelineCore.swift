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
    let unroutedCount = Atomic<UInt64>(0)
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
    @_optimize(speed)
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
    @_optimize(speed)
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
    @_optimize(speed)
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
    @_optimize(speed)
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
                    if !attributes.isEmpty { $0.add(attributes) }
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

    /// Stores that a span has started, for the outputs that get it if it never ends, and tells those that take starts.
    /// Returns whether it may be stored, so that its end must be told.
    ///
    /// Filters see it as they see a record, but for gates that count: nothing may come to the disk that they would have
    /// taken out.
    @_optimize(speed)
    func begin(_ head: SpanEncoder.Head) -> Bool {
        switchboard.withTable { table in
            guard table.takes(head.level) else { return false }
            let routing = table.cachedRouting(tag: head.tag, level: head.level)
            guard let passage = admitStart(routing, head.tag, head.level, table) else { return false }
            if !passage.mask.outputs.isSubset(of: table.batchOutputs), let site = head.site {
                FunctionNames.note(site.function)
            }
            return write(passage, level: head.level, flags: .spanStart, table) {
                [key, table = Unmanaged.passUnretained(table)] buffer, passage in
                SpanEncoder.encode(head, key: key, into: buffer) { passage?.encode(into: &$0, table) }
            }
        }
    }

    /// Records a span that has ended.
    /// - Parameter isStarted: Whether its start may be stored. If its end then is not, that is noted, or the next launch
    ///   would take the span for one that a crash has left open.
    @_optimize(speed)
    func record(_ head: SpanEncoder.Head, _ attributes: Attributes, isStarted: Bool) {
        switchboard.withTable { table in
            let isStored = end(head, attributes, table)
            guard isStarted, !isStored, !drain.isParents else { return }
            journal.append(
                mask: UInt64(table.batchOutputs.rawValue), flags: .spanDropped, capacity: maximumFrame
            ) { SpanEncoder.encodeIdentity(head.context, into: $0) }
        }
    }

    /// Whether a frame that tells the span's end is stored.
    @_optimize(speed)
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
}
