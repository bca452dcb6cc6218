import Foundation

/// The operation of a GraphQL request. Pure.
///
/// Source: *GraphQL over HTTP* (working draft), *Request Parameters*; OpenTelemetry semantic conventions, *GraphQL*.
struct GraphQLOperation: Equatable {
    /// What the request calls itself; `nil` for an anonymous operation.
    let name: String?
    /// `query`, `mutation` or `subscription`, if it can be told.
    let type: String?

    /// Longer bodies are not looked into.
    private static let maximumBytes = 256 << 10
    private static let types: Set<Substring> = ["query", "mutation", "subscription"]

    /// The operation of a JSON body with a `query` or an `operationName`; `nil` for any other request.
    init?(_ request: RecordedRequest) {
        let contentType = request.headers.first { $0.key.lowercased() == "content-type" }?.value.lowercased() ?? ""
        guard request.method == "POST", contentType.contains("json") || contentType.isEmpty, let body = request.body,
            body.count <= Self.maximumBytes, body.first == UInt8(ascii: "{"),
            let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
        else { return nil }
        let document = object["query"] as? String
        let isPersisted = (object["extensions"] as? [String: Any])?["persistedQuery"] != nil
        // A search's body may have a "query" too; a GraphQL document has a selection.
        guard document?.contains("{") == true || isPersisted else { return nil }
        let head = document.map(Self.head)
        name = ((object["operationName"] as? String) ?? head?.name).map { $0.cut(toUTF8Bytes: 128) }
        type = head?.type
    }

    /// Type and name of a document's first operation: `query Recipe($id: ID!) {` or just `{`.
    static func head(of document: String) -> (type: String?, name: String?) {
        for line in document.prefix(4096).split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "{") }
            guard let first = words.first else { continue }
            if first.hasPrefix("{") { return ("query", nil) }
            let type = first.prefix { $0 != "{" }
            guard types.contains(type) else { return (nil, nil) }
            let isNamed =
                line.drop { $0.isWhitespace }.dropFirst(type.count).drop { $0.isWhitespace }.first
                .map { $0.isLetter || $0 == "_" } ?? false
            return (String(type), isNamed ? words.dropFirst().first.map { String($0.prefix { $0 != "{" }) } : nil)
        }
        return (nil, nil)
    }
}
