import Foundation

/// What is recorded of an HTTP exchange. Pure.
///
/// Attribute names: OpenTelemetry semantic conventions, *HTTP client span*, *GraphQL*; `daybook.http.*` where they have
/// none.
struct HTTPExchange {
    private let request: RecordedRequest
    private let recording: RequestRecording
    private let operation: GraphQLOperation?
    private static let scrubber = CredentialScrubber(names: Redact.credentialNames)

    init(_ request: RecordedRequest, _ recording: RequestRecording) {
        self.request = request
        self.recording = recording
        operation = GraphQLOperation(request)
    }

    /// The span's name: method and path, with identifiers replaced so that equal requests have equal names; behind it the
    /// GraphQL operation, which tells more than the one path they all share.
    var name: String {
        let name = "\(request.method) \(Self.template(of: request.url?.path ?? ""))"
        return operation?.name.map { "\(name) \($0)" } ?? name
    }

    /// The attributes of an exchange that was answered, or that was not: `response` is `nil`.
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

    /// The bodies for memory alone.
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
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            let name = name.lowercased()
            guard recording.headers.contains(name) else { continue }
            let shown = Self.mayBeCredential(name) ? Redact.replacement : Self.scrubber.scrubbed(value)
            attributes[prefix + name] = .array([.string(shown.cut(toUTF8Bytes: 1024))])
        }
    }

    /// Whether a header field may carry a credential, by its name.
    static func mayBeCredential(_ name: String) -> Bool {
        scrubber.isSecret(name)
            || ["auth", "cookie", "token", "secret", "session", "signature", "api-key", "apikey", "password"]
                .contains { name.contains($0) }
    }

    /// Why the exchange counts as failed, if it does: OpenTelemetry's clients set an error from status 400 on.
    static func failure(status: Int?) -> String? {
        guard let status, status >= 400 else { return nil }
        return "status \(status)"
    }

    /// A server that fails is an error, a request that it refuses a warning.
    static func level(status: Int?) -> Level {
        switch status ?? 0 {
        case 500...: .error
        case 400..<500: .warning
        default: .info
        }
    }

    /// A path whose numeric and UUID parts are `*`: `/recipes/42/steps` becomes `/recipes/*/steps`.
    static func template(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            let isNumber = !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            return isNumber || UUID(uuidString: String(part)) != nil ? "*" : String(part)
        }.joined(separator: "/")
    }

    /// The address without user, password and fragment, and with query values replaced, but for those of `names`.
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
