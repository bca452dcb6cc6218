import DaybookBase
import DaybookJournal
import Foundation

/// Where records go: filters and routes around one journal.
///
/// `Context` is the type of the attributes common to all records, generated from `common.md`. Safe to share between
/// threads. A pipeline never throws because of what is on disk: if its directory cannot be used, it keeps records in
/// memory and reports this once.
public final class Pipeline<Context: LogContext>: Sendable {
    let core: PipelineCore
    /// The installation's random id, which each record carries as `app.installation.id`. 32 hexadecimal digits.
    public let installation: String
    private let common: Mutex<Common>
    private let identity: ResourceIdentity
    private let sessionTimeout: UInt64
    private let recordsLedgers: Bool

    /// The context and session of records logged now.
    private struct Common {
        var context: Context
        var session: Session
    }

    /// Opens a pipeline.
    ///
    /// ```swift
    /// struct Common: LogContext {
    ///     var plan = "free"
    ///     func encode(into fields: inout FieldEncoder) { fields.add("plan", plan) }
    /// }
    /// let pipeline = try Pipeline(store: .memory(), context: Common()) {
    ///     Route("**", to: ConsoleOutput())
    /// }
    /// ```
    /// - Parameters:
    ///   - store: Where records wait until they are delivered.
    ///   - context: The initial common attributes.
    ///   - options: Sizes, times, and where problems are reported.
    ///   - parts: Filters and routes, in order.
    /// - Throws: ``PipelineError`` for a mistake in `parts`.
    @_semantics("optimize.sil.specialize.generic.never")
    public init(
        store: LogStore, context: Context, options: PipelineOptions = .init(),
        @PipelineBuilder _ parts: () -> [PipelineBuilder.Part]
    ) throws {
        // Hence the attribute: runs once, so a specialised copy is not worth its size.
        let table = try RoutingTable(parts())
        let reporter = Reporter(options.report)
        let installation = Installation.load(store) { reporter.report($0) }
        self.installation = installation.id
        let identity = ResourceIdentity(
            resource: ResourceIdentity.encode(options.resourceAttributes(installation: installation.id)),
            key: installation.key)
        let common = Common(context: context, session: Session(id: Hex.text(Identifiers.next())))
        let bytes = identity.contextBytes(of: context, session: common.session.id)
        table.inline.setContext(bytes.decodedAttributes)
        let journal = store.open(
            outputs: table.storedIDs, context: bytes, options: options.journal, reporter: reporter)
        core = PipelineCore(
            table: table, journal: journal, clock: options.clock, key: installation.key, drain: Drain(),
            reporter: reporter)
        self.common = Mutex(common)
        self.identity = identity
        sessionTimeout = options.sessionTimeout.nanoseconds
        recordsLedgers = options.ledgerInterval != nil
        startDelivery(over: table, options, reporter)
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private func startDelivery(over table: RoutingTable, _ options: PipelineOptions, _ reporter: Reporter) {
        let timer = options.ledgerInterval.map { interval in
            LedgerTimer(interval: interval) { [weak core] ledgers in
                // Not on the drain thread, since it may call filters and outputs.
                Task.detached(priority: .utility) { [core] in core?.record(ledgers: ledgers) }
            }
        }
        core.drain.start(
            DrainLoop(
                drain: core.drain, journal: core.journal, table: table, options: options, key: core.key,
                reporter: reporter, ledgerTimer: timer), journal: core.journal)
        options.conditions?.start { [weak drain = core.drain] in _ = drain?.ask(.conditions($0)) }
    }

    /// Opens a pipeline whose journal lives in a directory; see ``init(store:context:options:_:)``.
    ///
    /// ```swift
    /// struct Common: LogContext {
    ///     var plan = "free"
    ///     func encode(into fields: inout FieldEncoder) { fields.add("plan", plan) }
    /// }
    /// let pipeline = try Pipeline(directory: folder, context: Common()) {
    ///     Route("**", to: OTLPOutput(endpoint: collector))
    /// }
    /// Log.install(pipeline)
    /// ```
    /// - Parameter directory: Created if missing. One pipeline at a time writes to it.
    /// - Throws: ``PipelineError`` for a mistake in `parts`.
    public convenience init(
        directory: URL, context: Context, options: PipelineOptions = .init(),
        @PipelineBuilder _ parts: () -> [PipelineBuilder.Part]
    ) throws {
        try self.init(store: .directory(directory), context: context, options: options, parts)
    }

    /// Opens a pipeline without common attributes; see ``init(store:context:options:_:)``.
    ///
    /// ```swift
    /// let pipeline = try Pipeline(store: .memory()) {
    ///     Route("**", to: ConsoleOutput())
    /// }
    /// ```
    /// - Throws: ``PipelineError`` for a mistake in `parts`.
    public convenience init(
        store: LogStore, options: PipelineOptions = .init(), @PipelineBuilder _ parts: () -> [PipelineBuilder.Part]
    ) throws where Context == EmptyContext {
        try self.init(store: store, context: EmptyContext(), options: options, parts)
    }

    /// Opens a pipeline without common attributes; see ``init(directory:context:options:_:)``.
    ///
    /// ```swift
    /// let pipeline = try Pipeline(directory: folder) {
    ///     Redact.credentials
    ///     Route("**", to: ConsoleOutput(), level: .debug)
    ///     Route("**", to: OTLPOutput(endpoint: collector))
    /// }
    /// Log.install(pipeline)
    /// ```
    /// - Throws: ``PipelineError`` for a mistake in `parts`.
    public convenience init(
        directory: URL, options: PipelineOptions = .init(), @PipelineBuilder _ parts: () -> [PipelineBuilder.Part]
    ) throws where Context == EmptyContext {
        try self.init(directory: directory, context: EmptyContext(), options: options, parts)
    }

    /// A log that writes to this pipeline, installed or not.
    public func log(_ tag: String = "app") -> Log { Log(tag, pipeline: core) }

    /// Changes the common attributes of later records. Atomic; a new version is stored only if something changed.
    public func updateContext(_ change: (inout Context) -> Void) {
        guard !core.drain.isParents else { return }
        common.withLock { common in
            change(&common.context)
            store(common)
        }
    }

    /// Called under the lock, so that versions are stored in order.
    private func store(_ common: Common) {
        let bytes = identity.contextBytes(of: common.context, session: common.session.id)
        core.switchboard.table.inline.setContext(bytes.decodedAttributes)
        core.journal.updateContext(bytes.encoded)
    }

    /// The current session, which each record carries as `session.id`. 16 hexadecimal digits. A new one begins with
    /// each launch, and when the app returns after ``PipelineOptions/sessionTimeout``.
    public var sessionID: String { common.withLock { $0.session.id } }

    /// Delivers what has been recorded by now, without waiting for full batches.
    ///
    /// An output that waits after a failure, or is paused, tries once more. If no output can make progress before the
    /// deadline (all with pending records are paused, suspended or wait for longer), the flush ends at once.
    /// - Parameters:
    ///   - deadline: The longest time it takes.
    ///   - ignoringWaits: Whether outputs send even if their routes wait for conditions (``RouteWait``), as when a
    ///     person asks to send now. Default: no, so that a flush before the background costs no mobile data.
    /// - Throws: ``FlushError`` if something was not delivered in time; it stays stored and is delivered later.
    public func flush(deadline: Duration, ignoringWaits: Bool = false) async throws {
        let end = core.clock.monotonic() &+ deadline.nanoseconds
        let isDone = await withCheckedContinuation { continuation in
            if !core.drain.ask(.flush(deadline: end, ignoringWaits: ignoringWaits, continuation)) {
                continuation.resume(returning: false)
            }
        }
        if !isDone { throw FlushError(ledgers: await ledgers()) }
    }

    /// Starts no new batches and forces records to the disk: for an app that goes to the background. A batch under way
    /// is not cancelled.
    public func suspend() async {
        guard !core.drain.isParents else { return }
        common.withLock { $0.session.suspend(now: core.clock.monotonic()) }
        await withCheckedContinuation { continuation in
            if !core.drain.ask(.suspend(continuation)) { continuation.resume() }
        }
    }

    /// Sends everything pending at once, even small batches, and retries failed and paused outputs. After a long time
    /// in the background, a new session begins.
    public func resume() {
        guard !core.drain.isParents else { return }
        common.withLock { common in
            let isNew = common.session.resume(now: core.clock.monotonic(), timeout: sessionTimeout) {
                Hex.text(Identifiers.next())
            }
            if isNew { store(common) }
        }
        _ = core.drain.ask(.resume)
    }

    /// Delivers what it can before the deadline, forces the rest to the disk for the next launch, and stops for good.
    /// The next launch sends a batch still under way again. Later records are dropped, and counted as *closed*.
    public func shutdown(deadline: Duration) async {
        if recordsLedgers, !core.drain.isClosed { core.record(ledgers: await ledgers()) }
        try? await flush(deadline: deadline)
        await withCheckedContinuation { continuation in
            if !core.drain.ask(.stop(continuation)) { continuation.resume() }
        }
    }

    /// The ledger of each output id, exact at the time of the call. After ``shutdown(deadline:)``, the final one plus
    /// what was logged since.
    public func ledgers() async -> [String: Ledger] {
        await withCheckedContinuation { continuation in
            if !core.drain.ask(.ledgers(continuation)) { continuation.resume(returning: core.ledgersAtEnd) }
        }
    }

    /// How many records had a tag that no route matches.
    public var unroutedCount: UInt64 { core.unrouted }

    /// How many records a filter dropped. They were never accepted, so no ledger has them.
    public var filteredCount: UInt64 { core.filtered }
}

/// A user's visit: from launch, or from the return after a long time in the background. Pure.
struct Session: Sendable {
    /// 16 hexadecimal digits.
    private(set) var id: String
    /// When the app went to the background, on the monotonic clock.
    private var suspendedAt: UInt64?

    init(id: String) { self.id = id }

    /// Only the first call before a `resume` counts.
    mutating func suspend(now: UInt64) {
        if suspendedAt == nil { suspendedAt = now }
    }

    /// Begins a new session after `timeout` nanoseconds or more. Returns whether it did.
    mutating func resume(now: UInt64, timeout: UInt64, nextID: () -> String) -> Bool {
        guard let since = suspendedAt else { return false }
        suspendedAt = nil
        guard now >= since, now - since >= timeout else { return false }
        id = nextID()
        return true
    }
}

/// What a flush could not deliver in time. None of it is lost.
public struct FlushError: Error, Sendable, CustomStringConvertible {
    /// The ledger of each output id when time was up.
    public let ledgers: [String: Ledger]

    public var description: String {
        var pending: [String] = []
        for (id, ledger) in ledgers where ledger.pending > 0 {
            pending.append("\(id): \(ledger.pending)" + (ledger.heldBy.isEmpty ? "" : " (held back: \(ledger.heldBy))"))
        }
        let list = pending.ordered().joined(separator: ", ")
        return "Not everything was delivered before the deadline; still waiting: \(list). "
            + "It is stored and will be delivered later."
    }
}

/// The parts of a pipeline, in the order they apply.
@resultBuilder
public enum PipelineBuilder {
    /// A filter or a route.
    public indirect enum Part: Sendable {
        case filter(any FilterStage)
        case route(Route)
    }

    public static func buildExpression(_ route: Route) -> [Part] { [.route(route)] }
    /// A part that was created elsewhere.
    public static func buildExpression(_ part: Part) -> [Part] { [part] }
    public static func buildExpression(_ filter: some FilterStage) -> [Part] { [.filter(filter)] }
    public static func buildBlock(_ parts: [Part]...) -> [Part] { parts.flatMap { $0 } }
    public static func buildOptional(_ parts: [Part]?) -> [Part] { parts ?? [] }
    public static func buildEither(first parts: [Part]) -> [Part] { parts }
    public static func buildEither(second parts: [Part]) -> [Part] { parts }
    public static func buildArray(_ parts: [[Part]]) -> [Part] { parts.flatMap { $0 } }
}

extension Pipeline {
    /// Switches an output on or off for later records, on every thread. Earlier records are still delivered. Not kept
    /// across launches.
    /// - Parameters:
    ///   - isEnabled: Whether it takes records.
    ///   - output: The output's id.
    /// - Throws: ``PipelineError`` (`unknownOutput`), which names the existing outputs.
    public func setEnabled(_ isEnabled: Bool, output: String) throws {
        try change(output) { $0.isOn = isEnabled }
    }

    /// Sets an output's level for later records, in place of the levels of its routes.
    /// - Parameters:
    ///   - level: The lowest level it takes; `nil` for the levels of its routes.
    ///   - output: The output's id.
    /// - Throws: ``PipelineError`` (`unknownOutput`), which names the existing outputs.
    public func setLevel(_ level: Level?, output: String) throws {
        try change(output) { $0.level = level }
    }

    /// Whether an output is switched on; `nil` if the pipeline has none with this id.
    public func isEnabled(output: String) -> Bool? { current(output)?.isOn }

    /// The level set for an output; `nil` if its routes' own apply, or if the pipeline has none with this id.
    public func level(output: String) -> Level? { current(output)?.level }

    private func current(_ output: String) -> OutputSwitch? {
        core.drain.isParents ? nil : core.switchboard.current(output)
    }

    private func change(_ output: String, _ change: (inout OutputSwitch) -> Void) throws {
        guard !core.drain.isParents else { return }
        try core.switchboard.change(output, change)
        InstalledPipeline.followThreshold()
    }
}
