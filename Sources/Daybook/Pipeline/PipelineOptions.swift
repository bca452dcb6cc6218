import DaybookBase
import DaybookJournal
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// The settings of a pipeline; all defaults suit an app.
public struct PipelineOptions: Sendable {
    /// Sizes and times of the journal.
    public var journal = JournalOptions()
    /// How long outputs wait before they try again.
    public var backoff = Backoff()
    /// Reports the device's network and power. Default: `nil`; the pipeline tries whether there is a network, and no
    /// route waits.
    public var conditions: (any ConditionSource)?
    /// How much is kept of what receivers permanently refuse.
    public var quarantine = QuarantineLimits()
    /// How often the ledgers are recorded, besides at every shutdown: a message per output, tagged `daybook.ledger`,
    /// which filters and routes treat like any other. At least 1 s. Default: `nil`, never.
    public var ledgerInterval: Duration?
    /// OpenTelemetry resource attributes such as `service.name` (default: the process's name), `service.version`
    /// (default on Apple's platforms: the bundle's `CFBundleShortVersionString`), `device.model.identifier`. They
    /// override the defaults.
    public var resource: Attributes = [:]
    /// A new session begins after this long in the background, from ``Pipeline/suspend()`` to ``Pipeline/resume()``.
    /// Default 30 minutes; 0 begins one at every return.
    public var sessionTimeout = Duration.seconds(30 * 60)
    /// Called with each problem, each text once. Default: a line on standard error.
    public var report: @Sendable (String) -> Void = Reporter.standardError
    public var clock = PipelineClock.system
    /// Where batch outputs are called.
    var sendPlace = SendRunner.Place.preferred

    /// Creates the default options.
    ///
    /// ```swift
    /// var options = PipelineOptions()
    /// options.resource = ["service.version": "1.4.0"]
    /// let pipeline = try Pipeline(directory: folder, options: options) { Route("**", to: ConsoleOutput()) }
    /// ```
    public init() {}

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
        #if canImport(Darwin)
            if let version = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String {
                attributes["service.version"] = .string(version)
            }
        #endif
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

/// Tells the developer what Daybook cannot do, each text once.
final class Reporter: Sendable {
    private let said = Mutex<Set<String>>([])
    private let say: @Sendable (String) -> Void
    /// After so many texts it is silent: more lines would explain nothing.
    private static let maximum = 100

    init(_ say: @escaping @Sendable (String) -> Void) { self.say = say }

    func report(_ text: String) {
        let isNew = said.withLock { $0.count < Self.maximum && $0.insert(text).inserted }
        if isNew { say(text) }
    }

    static let standardError: @Sendable (String) -> Void = { text in
        let line = Array("daybook: \(text)\n".utf8)
        // A failed write has nowhere to be reported.
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}

extension FrameFlags {
    /// The priority of a level in a full journal: 0 for trace and debug, 1 for info, 2 for warning, 3 for error and
    /// fatal.
    static func priority(of level: Level) -> FrameFlags {
        switch level {
        case .trace, .debug: .priority(0)
        case .info: .priority(1)
        case .warning: .priority(2)
        case .error, .fatal: .priority(3)
        }
    }
}

extension JournalOptions.Policy {
    /// At the cap, new records below this level are refused and counted until an output has made room; others replace
    /// the oldest segment, whatever it holds. `trace` and `debug` count alike, as do `error` and `fatal`; the lowest
    /// effective level is `info`, so `trace` and `debug` mean `info`.
    public static func dropBelow(_ level: Level) -> JournalOptions.Policy {
        .dropBelow(priority: max(1, Int(level.rawValue >> 2) - 1))
    }
}
