import DaybookBase

/// Why bytes are not an OTLP request, and where.
package struct OTLPError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in one sentence.
    package var reason: String
    /// The member at fault in a JSON request, `resourceLogs[0].scopeLogs[2]`; empty for the whole and in protobuf,
    /// where the reason tells the byte.
    package var path: String
    /// Whether the request may be well-formed but is more than a receiver takes at once.
    package var isLimit: Bool

    package init(_ reason: String, path: String = "", isLimit: Bool = false) {
        self.reason = reason
        self.path = path
        self.isLimit = isLimit
    }

    /// Where each signal goes.
    static let signals = "Logs go to /v1/logs and spans to /v1/traces; metrics are not kept."

    package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

    /// The error as seen from one level further out.
    func within(_ key: String) -> OTLPError {
        let isIndexed = path.hasPrefix("[")
        let joined = path.isEmpty ? key : isIndexed ? key + path : key + "." + path
        return OTLPError(reason, path: joined, isLimit: isLimit)
    }
}

/// What a request may still cost; decoding stops where it runs out, so that a small request of empty records cannot
/// take much memory.
struct DecodingBudget {
    /// Records or spans in one request, with their scopes and resources.
    static let maximumRecords = 100_000
    /// Attributes and array elements in one request of protobuf, and values in one line of JSON.
    static let maximumValues = 500_000
    /// Values in a document of JSON, in which an attribute is four.
    static let maximumJSONValues = 1_000_000
    /// So many are in the smallest request that is refused for them.
    static let allowedValues = 10_000
    /// The fewest bytes that a value with anything in it takes: a small number in an array.
    static let bytesPerValue = 4
    /// What empty records, events, links and entities cost in values: what the smallest with anything in it takes in bytes,
    /// so that nothing costs more for its bytes than an honest request does.
    static let (recordValues, eventValues, linkValues, entityValues) = (2, 3, 6, 3)

    private var records = maximumRecords
    var values: AnyValue.Budget

    /// - Parameter size: bytes of the request.
    init(ofRequest size: Int) {
        values = AnyValue.Budget(values: min(Self.maximumValues, Self.allowedValues + size / Self.bytesPerValue))
    }

    /// Takes a record, a scope or a resource of protobuf.
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

    /// The error of a protobuf request; one that took too many values passes a limit.
    static func error(_ error: ProtobufError) -> OTLPError {
        guard error.reason == .tooManyValues else { return OTLPError(error.description) }
        return OTLPError(
            "More values in one request than its size allows, at most \(maximumValues). Send smaller batches.",
            isLimit: true)
    }
}
