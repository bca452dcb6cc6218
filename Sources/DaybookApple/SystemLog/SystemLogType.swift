import Daybook

/// The five types of the system's log, in its order. Raw values are those of `OSLogType`.
///
/// Source: `os/log.h`, *os_log_type_t*.
package enum SystemLogType: UInt8, Sendable, CaseIterable {
    case standard = 0x00
    case info = 0x01
    case debug = 0x02
    case error = 0x10
    case fault = 0x11

    /// The type that records of a level are written with. The system stores *info* and *debug* only while somebody
    /// watches; from *warning* on it keeps them.
    package init(_ level: Level) {
        switch level {
        case .trace, .debug: self = .debug
        case .info: self = .info
        case .warning: self = .standard
        case .error: self = .error
        case .fatal: self = .fault
        }
    }

    /// The level of a line that somebody else has written: the system's default type, which `NSLog` and `os_log` have, is
    /// no warning there.
    package var importedLevel: Level {
        switch self {
        case .debug: .debug
        case .info, .standard: .info
        case .error: .error
        case .fault: .fatal
        }
    }
}
