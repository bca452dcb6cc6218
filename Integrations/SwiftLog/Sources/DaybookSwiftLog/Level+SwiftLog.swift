public import Daybook
public import Logging

extension Level {
    /// The level that records of a swift-log level have: `notice` is recorded as `info`, `critical` as `fatal`.
    public init(_ level: Logger.Level) {
        switch level {
        case .trace: self = .trace
        case .debug: self = .debug
        case .info, .notice: self = .info
        case .warning: self = .warning
        case .error: self = .error
        case .critical: self = .fatal
        }
    }
}
