/// One request and its answer, for a log: sanitized, without the query (it may hold tokens) and without bodies.
public struct HTTPExchange: Sendable, Equatable {
    /// At most 16 characters, printable ASCII.
    public var method: String
    /// Percent-decoded, at most 256 characters, control characters and line separators replaced by `?`.
    public var path: String
    /// The reply's status; 0 where the connection broke before there was one.
    public var status: Int
    /// From the end of the head to the end of the reply.
    public var duration: Duration
    /// Whether the whole reply was sent.
    public var isComplete: Bool

    init(method: String, path: String, status: Int, duration: Duration, isComplete: Bool) {
        self.method = Self.sanitized(
            method, limit: 16, allowed: { $0.isASCII && $0.properties.isPatternWhitespace == false })
        self.path = Self.sanitized(path, limit: 256, allowed: { _ in true })
        self.status = status
        self.duration = duration
        self.isComplete = isComplete
    }

    private static func sanitized(_ text: String, limit: Int, allowed: (Unicode.Scalar) -> Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            let isPrintable =
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
                default: true
                }
            result.unicodeScalars.append(isPrintable && allowed(scalar) ? scalar : "?")
        }
        return result
    }
}
