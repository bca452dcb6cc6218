import DaybookBase

/// Why and where bytes are not an OTLP request.
package struct OTLPError: Error, Sendable, Hashable, CustomStringConvertible {
    package var reason: String
    /// The member in a JSON request, `resourceLogs[0].scopeLogs[2]`. Empty for the whole request, and in protobuf,
    /// where the reason has the byte offset.
    package var path: String
    /// Whether the request may be well-formed but exceeds a limit.
    package var isLimit: Bool

    package init(_ reason: String, path: String = "", isLimit: Bool = false) {
        self.reason = reason
        self.path = path
        self.isLimit = isLimit
    }

    static let signals = "Logs go to /v1/logs and spans to /v1/traces; metrics are not kept."

    package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

    /// The error with `key` prepended to its path.
    func within(_ key: String) -> OTLPError {
        let isIndexed = path.hasPrefix("[")
        let joined = path.isEmpty ? key : isIndexed ? key + path : key + "." + path
        return OTLPError(reason, path: joined, isLimit: isLimit)
    }
}

/// What decoding a request may still cost, so that a small one of empty records cannot take much memory.
struct DecodingBudget {
    /// Records or spans in one request, with their scopes and resources.
    static let maximumRecords = 100_000
    /// Attributes and array elements in one protobuf request, and values in one line of JSON.
    static let maximumValues = 500_000
    /// Values in a JSON document, where an attribute takes four.
    static let maximumJSONValues = 1_000_000
    /// Allowed for any request, however small.
    static let allowedValues = 10_000
    /// The least bytes of a non-empty value: a small number in an array.
    static let bytesPerValue = 4
    /// The cost in values of empty records, events, links and entities: the bytes of their smallest nonempty forms, so
    /// that no byte costs more than in an honest request.
    static let (recordValues, eventValues, linkValues, entityValues) = (2, 3, 6, 3)

    private var records = maximumRecords
    var values: AnyValue.Budget

    /// - Parameter size: of the request, in bytes.
    init(ofRequest size: Int) {
        values = AnyValue.Budget(values: min(Self.maximumValues, Self.allowedValues + size / Self.bytesPerValue))
    }

    mutating func takeRecord(at reader: ProtobufReader) throws {
        try values.take(Self.recordValues, at: reader)
        try takeRecord()
    }

    mutating func takeRecord() throws(OTLPError) {
        records -= 1
        if records < 0 {
            throw OTLPError(
                "More than \(Self.maximumRecords) records, scopes and resources in one request. Send smaller batches.",
                isLimit: true)
        }
    }

    /// Converts a protobuf error; too many values is a limit.
    static func error(_ error: ProtobufError) -> OTLPError {
        guard error.reason == .tooManyValues else { return OTLPError(error.description) }
        return OTLPError(
            "More values in one request than its size allows, at most \(maximumValues). Send smaller batches.",
            isLimit: true)
    }
}
