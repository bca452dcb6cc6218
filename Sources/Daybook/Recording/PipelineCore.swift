import DaybookBase
import DaybookJournal

/// The pipeline without the type of its context; log calls need no more.
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
        // Nothing can log any more, and the thread would wait for ever.
        _ = drain.ask(.stop(nil))
    }

    /// Below it no route takes anything. Follows the switches.
    var threshold: LevelThreshold { switchboard.threshold }
    var unrouted: UInt64 { unroutedCount.load(ordering: .relaxed) }
    /// Records whose longest values were cut.
    var truncated: UInt64 { truncatedCount.load(ordering: .relaxed) }
    var filtered: UInt64 { filteredCount.load(ordering: .relaxed) }

    /// Reports a problem, once per text.
    func report(_ text: String) { reporter.report(text) }

    // MARK: Recording: admission, then storage

    /// Records an event logged before the pipeline was installed.
    func record(early event: any LogEvent, by table: RoutingTable, at time: Int64) {
        let descriptor = event.descriptor
        guard let passage = admit(descriptor, table) else { return }
        storeInSpan(EventHead(constants: descriptor.constants, time: time), passage, descriptor.level, table) {
            event.encode(into: &$0)
        }
    }

    @_optimize(speed)
    func record(event tag: String, by table: RoutingTable, _ level: Level, _ attributes: Attributes) {
        guard table.takes(level) else { return }
        let known = table.known(tag, level)
        guard let passage = admit(known.routing, tag: tag, level, table) else { return }
        let head = EventHead(constants: known.constants, time: clock.now())
        store(head, passage, level, table) { $0.add(attributes) }
        withExtendedLifetime(known.owner) {}
    }

    /// `fill` is called only if some route takes the record.
    @_optimize(speed)
    func record(event tag: String, by table: RoutingTable, _ level: Level, _ fill: (inout AttributeBuilder) -> Void) {
        guard table.takes(level) else { return }
        let known = table.known(tag, level)
        guard let passage = admit(known.routing, tag: tag, level, table) else { return }
        let head = EventHead(constants: known.constants, time: clock.now())
        AttributeBuilder.encode(key: key, fill) { encoded in
            guard let encoded else { return reportTooLong() }
            store(head, passage, level, table) { $0.add(encoded: encoded) }
        }
        withExtendedLifetime(known.owner) {}
    }

    @_optimize(speed)
    func record(
        message: String, tag: String, by table: RoutingTable, _ level: Level, _ attributes: Attributes,
        site: CallSite? = nil
    ) {
        guard table.takes(level),
            let passage = admit(table.known(tag, level).routing, tag: tag, level, table)
        else { return }
        let head = LogRecordEncoder.Head(
            time: clock.now(), level: level, tag: tag, isEvent: false, message: message, span: .current, site: site)
        store(passage, level, .record, table) { LogRecordEncoder.encode(head, &$0, attributes: attributes) }
    }

    /// Records something with its own time, source location and span.
    func record(_ record: Record, by table: RoutingTable) {
        let (tag, level) = (record.tag, record.level)
        guard table.takes(level),
            let passage = admit(table.known(tag, level).routing, tag: tag, level, table)
        else { return }
        store(passage, level, record.isSpan ? .spanEnd : .record, table) { RecordEncoder.encode(record, &$0) }
    }

    /// Stores and announces that a span has started, for outputs that get unfinished spans or take starts. Returns
    /// whether the start may be stored, in which case the end must be too.
    ///
    /// All filters but counting gates apply: nothing they remove may reach the disk.
    func record(start head: SpanEncoder.Head) -> Bool {
        let table = switchboard.table
        guard table.takes(head.level),
            let passage = admitStart(table.known(head.tag, head.level).routing, head.tag, head.level, table)
        else { return false }
        if !passage.mask.outputs.isSubset(of: table.batchOutputs), let site = head.site {
            FunctionNames.note(site.function)
        }
        return store(passage, head.level, .spanStart, table) { SpanEncoder.encode(head, &$0) }
    }

    /// - Parameter isStarted: Whether the start may be stored. If so, an end that is not stored is noted; otherwise the
    ///   next launch would report the span as unfinished.
    func record(end head: SpanEncoder.Head, _ attributes: Attributes, isStarted: Bool) {
        let table = switchboard.table
        if table.takes(head.level),
            let passage = admit(table.known(head.tag, head.level).routing, tag: head.tag, head.level, table),
            store(passage, head.level, .spanEnd, table, { SpanEncoder.encode(head, &$0, attributes: attributes) })
        {
            return
        }
        guard isStarted, !drain.isParents else { return }
        let identity = FieldEncoder.encoded { SpanEncoder.encodeIdentity(head.context, &$0) }
        journal.append(mask: UInt64(table.batchOutputs.rawValue), flags: .spanDropped, payload: identity)
    }
}

extension EventDescriptor {
    /// `encode` writes the columns. A method of the descriptor, so that a log call can jump to it: to call another
    /// object's method, it would have to keep its own `self`.
    @_optimize(speed)
    func record(in core: PipelineCore, by table: RoutingTable, _ encode: (inout FieldEncoder) -> Void) {
        guard let passage = core.admit(self, table) else { return }
        core.store(EventHead(constants: constants, time: core.clock.now()), passage, level, table, encode)
    }
}
