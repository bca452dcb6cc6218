import Foundation

/// An error as a record shows it: OpenTelemetry's `exception.*` attributes, the code, and what the error says of itself.
struct ErrorDescription {
    /// Causes are followed this far; an error that names itself as its cause ends there.
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
        for (key, value) in Self.info(of: error).sorted(by: { $0.key < $1.key })
        where key != NSUnderlyingErrorKey && key != NSLocalizedDescriptionKey {
            attributes[key] = Value(describing: value)
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
        // On Apple's systems every error is an NSError by bridging; elsewhere only those that are one.
        return (error as Any as? NSError)?.userInfo ?? [:]
    }

    private static func cause(of error: any Error) -> (any Error)? {
        info(of: error)[NSUnderlyingErrorKey] as? any Error
    }
}

extension Record {
    /// A record of an error as `log.error(_:)` makes it: message, type, domain, code, causes and
    /// the error's own info. For bridges from other logging libraries; see ``Log/forward(_:)``.
    /// - Parameters:
    ///   - time: Nanoseconds since 1970; 0 for the time at which it is forwarded.
    ///   - level: Default: ``LeveledError/logLevel``, or `error`.
    public init(error: any Error, time: Int64 = 0, level: Level? = nil, tag: String) {
        let description = ErrorDescription(error)
        self.init(
            time: time, kind: .error, level: level ?? description.level, tag: tag, message: description.message,
            attributes: description.attributes)
    }
}

extension Value {
    /// A value of any type: numbers, truth values, texts, dates, arrays and dictionaries as such, others as they describe
    /// themselves.
    public init(describing any: Any) {
        switch any {
        case let value as any LogValue: self = value.logValue
        case let value as Bool: self = .bool(value)
        case let value as any BinaryInteger: self.init(value)
        case let value as Double: self.init(value)
        case let value as Float: self.init(Double(value))
        case let value as String: self = .string(value)
        case let value as Date: self = .string(Timestamp(value).rfc3339(fractionDigits: 3))
        case let value as [Any]: self = .array(value.map(Value.init(describing:)))
        case let value as [String: Any]:
            self = .object(Attributes(value.sorted { $0.key < $1.key }.map { ($0.key, Value(describing: $0.value)) }))
        default: self = .string(String(describing: any))
        }
    }
}
