/// How serious a record is: OpenTelemetry's six levels. The raw value is the lowest severity number of each range.
///
/// Source: OpenTelemetry Logs Data Model, *Severity Fields*.
public enum Level: UInt8, Sendable, Hashable, CaseIterable, Comparable {
    case trace = 1
    case debug = 5
    case info = 9
    case warning = 13
    case error = 17
    case fatal = 21

    /// The level of a severity number (1–24); `info` for 0 (unspecified) and out of range.
    ///
    /// ```swift
    /// Level(severityNumber: 13)    // .warning
    /// ```
    public init(severityNumber: Int) {
        switch severityNumber {
        case 1...4: self = .trace
        case 5...8: self = .debug
        case 13...16: self = .warning
        case 17...20: self = .error
        case 21...24: self = .fatal
        default: self = .info
        }
    }

    /// The level named `name` (`"trace"` … `"fatal"`), or `nil`.
    ///
    /// ```swift
    /// Level(name: "warning")       // .warning
    /// ```
    public init?(name: some StringProtocol) {
        guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// In lower case, as stores and exports spell it.
    public var name: String {
        switch self {
        case .trace: "trace"
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        case .fatal: "fatal"
        }
    }

    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
}

public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A free-form line.
    case message
    /// A Swift error.
    case error
    /// A named, defined activity of the user or the app.
    case event
    /// A measurement with a start and an end.
    case span
    /// An HTTP exchange.
    case request
    /// The start, finish or sign-off of a checklist run.
    case run
}

/// An error that has a level. Other errors are logged at `error`.
public protocol LeveledError: Error {
    var logLevel: Level { get }
}
