import Foundation

/// What is recorded of an HTTP exchange. Pure.
///
/// Attribute names: OpenTelemetry semantic conventions, *HTTP client span*, *GraphQL*; otherwise `daybook.http.*`.
struct RequestDescription {
    private let request: RecordedRequest
    private let recording: RequestRecording
    private let operation: GraphQLOperation?
    private static let scrubber = CredentialScrubber()

    init(_ request: RecordedRequest, _ recording: RequestRecording) {
        self.request = request
        self.recording = recording
        operation = GraphQLOperation(request)
    }

    /// The span's name: method and path template, so that equal requests have equal names; then the GraphQL operation,
    /// since GraphQL requests share one path.
    var name: String {
        let name = "\(request.method) \(Self.template(of: request.url?.path ?? ""))"
        return operation?.name.map { "\(name) \($0)" } ?? name
    }

    /// `response` is `nil` if there was none.
    func attributes(_ response: RecordedResponse?) -> Attributes {
        var attributes: Attributes = [WireName.httpMethod: .string(request.method)]
        if let url = request.url {
            attributes["url.full"] = .string(Self.redacted(url, keeping: recording.queryParameters))
            attributes["url.template"] = .string(Self.template(of: url.path))
            if let host = url.host { attributes["server.address"] = .string(host) }
            if let port = url.port { attributes["server.port"] = Value(port) }
        }
        if let bytes = request.bodyBytes { attributes["http.request.body.size"] = Value(bytes) }
        if let status = response?.status { attributes["http.response.status_code"] = Value(status) }
        if let bytes = response?.bodyBytes { attributes["http.response.body.size"] = Value(bytes) }
        if let name = operation?.name { attributes["graphql.operation.name"] = .string(name) }
        if let type = operation?.type { attributes["graphql.operation.type"] = .string(type) }
        if let status = response?.status, status >= 400 { attributes["error.type"] = .string("\(status)") }
        add("http.request.header.", request.headers, to: &attributes)
        add("http.response.header.", response?.headers ?? [:], to: &attributes)
        if case .recorded(let bytes) = recording.bodies {
            let limit = min(max(1, bytes), 16 << 10)
            add("daybook.http.request.body", request.body, limit, to: &attributes)
            add("daybook.http.response.body", response?.body, limit, to: &attributes)
        }
        attributes.elements += response?.timing?.attributes.elements ?? []
        return attributes
    }

    /// The bodies kept in memory.
    func bodies(spanID: String, response: Data?, limit: Int) -> RecentBodies.Exchange {
        RecentBodies.Exchange(
            spanID: spanID, request: BodyText.text(of: request.body, limit: limit, scrubber: Self.scrubber),
            response: BodyText.text(of: response, limit: limit, scrubber: Self.scrubber))
    }

    private func add(_ name: String, _ body: Data?, _ limit: Int, to attributes: inout Attributes) {
        guard let text = BodyText.text(of: body, limit: limit, scrubber: Self.scrubber) else { return }
        attributes[name] = .string(text)
    }

    private func add(_ prefix: String, _ headers: [String: String], to attributes: inout Attributes) {
        for (name, value) in headers.ordered(by: { $0.key < $1.key }) {
            let name = name.lowercased()
            guard recording.headers.contains(name) else { continue }
            let shown = Self.mayBeCredential(name) ? Redact.replacement : Self.scrubber.scrubbed(value)
            attributes[prefix + name] = .array([.string(shown.cut(toUTF8Bytes: 1024))])
        }
    }

    /// Whether a header field may carry a credential, by its name.
    private static func mayBeCredential(_ name: String) -> Bool {
        scrubber.isSecret(name)
            || ["auth", "cookie", "token", "secret", "session", "signature", "api-key", "apikey", "password"]
                .contains { name.contains($0) }
    }

    /// Why the exchange failed, if it did: for OpenTelemetry's clients, from status 400.
    static func failure(status: Int?) -> String? {
        guard let status, status >= 400 else { return nil }
        return "status \(status)"
    }

    /// An error for a failing server, a warning for a refused request.
    static func level(status: Int?) -> Level {
        switch status ?? 0 {
        case 500...: .error
        case 400..<500: .warning
        default: .info
        }
    }

    /// A path with numeric and UUID parts as `*`: `/recipes/42/steps` becomes `/recipes/*/steps`.
    static func template(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            let isNumber = !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            return isNumber || UUID(uuidString: String(part)) != nil ? "*" : String(part)
        }.joined(separator: "/")
    }

    /// The URL without user, password, fragment and query values, except those of `names`.
    static func redacted(_ url: URL, keeping names: Set<String> = []) -> String {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return "" }
        components.user = nil
        components.password = nil
        components.fragment = nil
        components.queryItems = components.queryItems?.map { item in
            names.contains(item.name) && !mayBeCredential(item.name.lowercased())
                ? item : URLQueryItem(name: item.name, value: "REDACTED")
        }
        return components.string ?? ""
    }
}

/// The operation of a GraphQL request. Pure.
///
/// Source: *GraphQL over HTTP* (working draft), *Request Parameters*; OpenTelemetry semantic conventions, *GraphQL*.
struct GraphQLOperation: Equatable {
    /// `nil` for an anonymous operation.
    let name: String?
    /// `query`, `mutation` or `subscription`, if known.
    let type: String?

    /// Longer bodies are not parsed.
    private static let maximumBytes = 256 << 10
    private static let types: Set<Substring> = ["query", "mutation", "subscription"]

    /// From a JSON body with a `query` or a persisted one; `nil` for any other request.
    init?(_ request: RecordedRequest) {
        let contentType = request.headers.first { $0.key.lowercased() == "content-type" }?.value.lowercased() ?? ""
        guard request.method == "POST", contentType.contains("json") || contentType.isEmpty, let body = request.body,
            body.count <= Self.maximumBytes, body.first == UInt8(ascii: "{"),
            let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
        else { return nil }
        let document = object["query"] as? String
        let isPersisted = (object["extensions"] as? [String: Any])?["persistedQuery"] != nil
        // A search may have a "query" too, but no selection set.
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

/// A body as text, without credentials, cut to a size. Pure.
private enum BodyText {
    /// `nil` for a body that is not text (images, archives) or empty.
    /// - Parameter limit: Most bytes of UTF-8.
    static func text(of body: Data?, limit: Int, scrubber: CredentialScrubber) -> String? {
        guard let body, !body.isEmpty else { return nil }
        // A character cut at the end does not make it binary.
        let looked = body.prefix(limit + 4)
        let text = String(decoding: looked, as: UTF8.self)
        let tail = text.unicodeScalars.suffix(looked.count < body.count ? 4 : 0).count
        let isText = !text.unicodeScalars.dropLast(tail).contains { scalar in
            scalar == "\u{FFFD}" || scalar.value < 0x20 && !["\t", "\n", "\r"].contains(scalar)
        }
        guard isText else { return nil }
        // Redacted before the cut: half a secret's name would hide the secret.
        let clean = scrubber.scrubbed(JSONScrubber(scrubber: scrubber).scrubbed(text))
        return clean.cut(toUTF8Bytes: limit)
    }
}
