import Foundation

/// An error as recorded: OpenTelemetry's `exception.*` attributes, its code, and its own info.
struct ErrorDescription {
    /// Also ends the chain of an error that is its own cause.
    private static let maximumCauses = 8

    let level: Level
    let message: String
    let attributes: Attributes

    init(_ error: any Error) {
        level = (error as? any LeveledError)?.logLevel ?? .error
        message = Self.message(of: error)
        var attributes: Attributes = [
            WireName.exceptionType: .string(String(reflecting: type(of: error))),
            WireName.exceptionMessage: .string(message),
            "daybook.error.domain": .string(error._domain),
            "daybook.error.code": Value(error._code),
        ]
        var causes: [Value] = []
        var cause = Self.cause(of: error)
        while let current = cause, causes.count < Self.maximumCauses {
            causes.append([
                "type": .string(String(reflecting: type(of: current))), "message": .string(Self.message(of: current)),
                "domain": .string(current._domain), "code": Value(current._code),
            ])
            cause = Self.cause(of: current)
        }
        if !causes.isEmpty { attributes["daybook.error.causes"] = .array(causes) }
        let info = Self.info(of: error)
        for key in info.keys.ordered() where key != NSUnderlyingErrorKey && key != NSLocalizedDescriptionKey {
            if let value = info[key] { attributes[key] = Value(describing: value) }
        }
        self.attributes = attributes
    }

    private static func message(of error: any Error) -> String {
        if let localized = error as? any LocalizedError, let text = localized.errorDescription { return text }
        if let text = info(of: error)[NSLocalizedDescriptionKey] as? String { return text }
        return String(describing: error)
    }

    private static func info(of error: any Error) -> [String: Any] {
        if let custom = error as? any CustomNSError { return custom.errorUserInfo }
        // On Apple's systems every error bridges to NSError; elsewhere only an NSError does.
        return (error as Any as? NSError)?.userInfo ?? [:]
    }

    private static func cause(of error: any Error) -> (any Error)? {
        info(of: error)[NSUnderlyingErrorKey] as? any Error
    }
}

extension Record {
    /// Creates the same record as `log.error(_:)`: message, type, domain, code, causes and the error's own info. For
    /// bridges from other logging libraries; see ``Log/forward(_:)``.
    ///
    /// ```swift
    /// log.forward(Record(error: CocoaError(.fileNoSuchFile), tag: "bridge"))
    /// ```
    /// - Parameters:
    ///   - time: Nanoseconds since 1970; 0 for the time at which it is forwarded.
    ///   - level: Default: `LeveledError.logLevel`, or `error`.
    public init(error: any Error, time: Int64 = 0, level: Level? = nil, tag: String) {
        let description = ErrorDescription(error)
        self.init(
            time: time, kind: .error, level: level ?? description.level, tag: tag, message: description.message,
            attributes: description.attributes)
    }
}

/// A recorded error, with what a crash reporter needs.
public struct LoggedError: Sendable, Hashable {
    /// An error that led to another.
    public struct Cause: Sendable, Hashable {
        /// The Swift type, with its module.
        public var type: String
        /// The error's own message.
        public var message: String
        /// The `NSError` domain, if recorded.
        public var domain: String?
        /// The `NSError` code, if recorded.
        public var code: Int?
    }

    /// The Swift type, with its module.
    public var type: String
    /// The error's own message.
    public var message: String
    /// The `NSError` domain; for a Swift error, its type.
    public var domain: String
    /// The `NSError` code; for a Swift enum, the number of its case.
    public var code: Int
    /// The error's own info (`errorUserInfo`), and the attributes of the measurement that failed with it.
    public var info: Attributes
    /// The errors that led to it, the nearest first; at most 8.
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
    /// The error given to `log.error(_:)`, or the one that ended a measurement; `nil` for other records.
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

extension Attributes {
    /// The attributes as Foundation's types: `NSNull`, `Bool`, `Int64`, `Double`, `String`, `Data`, arrays and
    /// dictionaries. If a key is given twice, the last value counts.
    public var foundation: [String: Any] {
        Dictionary(elements.map { ($0.key, $0.value.foundation) }, uniquingKeysWith: { $1 })
    }
}

extension Value {
    /// The value as one of Foundation's types; see ``Attributes/foundation``.
    public var foundation: Any {
        switch self {
        case .null: NSNull()
        case .bool(let bool): bool
        case .int(let int): int
        case .double(let double): double
        case .string(let string): string
        case .bytes(let bytes): Data(bytes)
        case .array(let items): items.map(\.foundation)
        case .object(let attributes): attributes.foundation
        }
    }
}
