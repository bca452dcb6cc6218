import DaybookJournal
import Foundation

/// What can be chosen about a pipeline; every default is sound for an app.
public struct PipelineOptions: Sendable {
    /// Sizes and times of the journal.
    public var journal = JournalOptions()
    /// How long outputs wait before they try again.
    public var backoff = Backoff()
    /// How much is kept of what receivers refuse for good.
    public var quarantine = QuarantineLimits()
    /// Says whether there is a network. Default: `nil`, the pipeline finds out by trying.
    public var reachability: (any Reachability)?
    /// How often, and at every shutdown, the ledgers are recorded: a message for each output with the tag
    /// `daybook.ledger`, which filters and routes treat as any other. At least 1 s. Default: `nil`, never.
    public var ledgerInterval: Duration?
    /// What the records come from: OpenTelemetry resource attributes such as `service.name` (default: the process's
    /// name), `service.version`, `device.model.identifier`. They win over what is filled in.
    public var resource: Attributes = [:]
    /// After this long in the background, from ``Pipeline/suspend()`` to ``Pipeline/resume()``, a new session begins.
    /// Default 30 minutes; at 0 with every return.
    public var sessionTimeout = Duration.seconds(30 * 60)
    /// Told what Daybook cannot do, each text once. Default: a line on standard error.
    public var report: @Sendable (String) -> Void = Reporter.standardError
    /// Where times come from.
    public var clock = PipelineClock.system

    /// The defaults.
    public init() {}

    /// The resource of this launch.
    func resourceAttributes(installation: String) -> Attributes {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        var attributes: Attributes = [
            "service.name": .string(ProcessInfo.processInfo.processName),
            WireName.installation: .string(installation),
            "os.type": .string(Self.operatingSystem),
            "os.version": .string("\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"),
            "telemetry.sdk.name": "daybook",
            "telemetry.sdk.language": "swift",
        ]
        for entry in resource.elements { attributes[entry.key] = entry.value }
        return attributes
    }

    /// OpenTelemetry's `os.type`.
    private static var operatingSystem: String {
        #if canImport(Darwin)
            "darwin"
        #else
            "linux"
        #endif
    }
}
