import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools

/// What an inspector may do besides showing its store.
public struct InspectorOptions {
    /// The team's own links, shown beside events and requests. Default: none.
    public var links = InspectorLinks()
    /// Coverage by sources and tests. Default: `nil`, which omits these columns.
    public var coverage: CoverageFile?
    /// Whether the page may add items to the checklists' files. Default: `false`.
    public var writesChecklists = false
    /// Lets phones pair with this inspector. Default: `nil`, for an inspector inside an app.
    public var pairing: PairingDesk?
    /// Finds bodies of requests that the app keeps in memory; see ``KeptBodies``. Default: `nil`, none.
    public var bodies: KeptBodies?
    /// Called with the end of a sentence about an action to log: private values requested, records erased. Default: not
    /// logged.
    public var audit: @Sendable (String) -> Void = { _ in }
    /// Paces the notices.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// What readers do not see; `nil` for what the definitions mark as private.
    package var masking: MaskingPolicy?
    /// Runs statements from the SQL screen; `nil` for the store itself.
    package var statements: (any StatementRunner)?
    /// For each statement: 1,000 rows, 1 s.
    package var statementLimits = QueryLimits()
    /// The team's boards, to which the page also writes.
    package var boards: BoardFolder?
    /// The screen shown if the address names none.
    package var start = "history"
    /// Runs funnels, retention and paths; `nil` for the store itself.
    package var insightStatements: (any StatementRunner)?
    /// Answers insights without a statement; `nil` for the store, if it has columns.
    package var insightColumns: (any ColumnarStore)?
    /// For each insight: 2 minutes.
    package var insightLimits = QueryLimits.ofInsight()
    /// Further routes under the same token, from the server around the inspector.
    package var routes: [HTTPRoute] = []
    /// Nanoseconds since 1970.
    package var now: @Sendable () -> Int64 = PipelineClock.system.wall
    /// Monotonic time.
    package var uptime = stopwatch()
    /// What a key other than the token allows; `nil` for an unknown key.
    package var keys: @Sendable (HTTPHeaders) -> InspectorAccess? = { _ in nil }
    /// Where new checklists are written; `nil` for nowhere.
    package var checklistFolder: String?

    /// Time since this call.
    private static func stopwatch() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }
}
