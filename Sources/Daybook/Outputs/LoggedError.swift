import Foundation

/// An error as its record tells it: what a crash reporter wants to have.
public struct LoggedError: Sendable, Hashable {
    /// An error that led to another.
    public struct Cause: Sendable, Hashable {
        /// The Swift type, with its module.
        public var type: String
        /// What it says of itself.
        public var message: String
        /// The `NSError` domain, if it was kept.
        public var domain: String?
        /// The `NSError` code, if it was kept.
        public var code: Int?
    }

    /// The Swift type, with its module.
    public var type: String
    /// What it says of itself.
    public var message: String
    /// The `NSError` domain: for a Swift error its type.
    public var domain: String
    /// The `NSError` code: for a Swift enum the case's number.
    public var code: Int
    /// The error's own info (`errorUserInfo`), and the attributes of the measurement it ended.
    public var info: Attributes
    /// What led to it, the nearest first; at most 8.
    public var causes: [Cause]

    /// The error for an API that takes `NSError`: domain, code, the info as `userInfo`, and the chain of causes as
    /// `NSUnderlyingErrorKey`.
    public var nsError: NSError {
        var underlying: NSError?
        for cause in causes.reversed() {
            underlying = Self.error(cause.domain ?? cause.type, cause.code ?? 0, cause.message, [:], underlying)
        }
        return Self.error(domain, code, message, info.foundation, underlying)
    }

    private static func error(
        _ domain: String, _ code: Int, _ message: String, _ info: [String: Any], _ underlying: NSError?
    ) -> NSError {
        var info = info
        info[NSLocalizedDescriptionKey] = message
        info[NSUnderlyingErrorKey] = underlying
        return NSError(domain: domain, code: code, userInfo: info)
    }
}

extension Record {
    /// The error that the record tells of: that of `log.error(_:)`, or the one a measurement ended with; `nil` for others.
    public var error: LoggedError? {
        guard case .string(let type)? = attributes[WireName.exceptionType] else { return nil }
        var error = LoggedError(
            type: type, message: failure ?? message ?? "", domain: type, code: 0, info: Attributes(), causes: [])
        for element in attributes.elements {
            switch (element.key, element.value) {
            case (WireName.exceptionType, _): break
            case (LoggedError.messageKey, .string(let text)): error.message = text
            case (LoggedError.domainKey, .string(let domain)): error.domain = domain
            case (LoggedError.codeKey, .int(let code)): error.code = Int(clamping: code)
            case (LoggedError.causesKey, .array(let causes)): error.causes = causes.compactMap(LoggedError.Cause.init)
            default: error.info.elements.append(element)
            }
        }
        return error
    }
}

extension LoggedError {
    static let messageKey = "exception.message"
    static let domainKey = "daybook.error.domain"
    static let codeKey = "daybook.error.code"
    static let causesKey = "daybook.error.causes"
}

extension LoggedError.Cause {
    init?(_ value: Value) {
        guard case .object(let fields) = value, case .string(let type)? = fields["type"] else { return nil }
        self.type = type
        message = if case .string(let text)? = fields["message"] { text } else { "" }
        if case .string(let domain)? = fields["domain"] { self.domain = domain }
        if case .int(let code)? = fields["code"] { self.code = Int(clamping: code) }
    }
}
