public import Daybook
public import Logging

extension Level {
    /// The level for a swift-log level: `notice` becomes `info`, `critical` becomes `fatal`.
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
