import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What is recorded of an HTTP exchange. Pure.
///
/// Attribute names: OpenTelemetry semantic conventions, *HTTP client span*.
struct HTTPExchange {
    private let method: String
    private let url: URL?
    private let requestBytes: Int?

    init(_ request: URLRequest) {
        method = request.httpMethod ?? "GET"
        url = request.url
        requestBytes = request.httpBody?.count
    }

    /// The span's name: method and path, with identifiers replaced so that equal requests have equal names.
    var name: String { "\(method) \(Self.template(of: url?.path ?? ""))" }

    func attributes(status: Int?, responseBytes: Int?) -> Attributes {
        var attributes: Attributes = [WireName.httpMethod: .string(method)]
        if let url {
            attributes["url.full"] = .string(Self.redacted(url))
            if let host = url.host { attributes["server.address"] = .string(host) }
            if let port = url.port { attributes["server.port"] = Value(port) }
        }
        if let requestBytes { attributes["http.request.body.size"] = Value(requestBytes) }
        if let status { attributes["http.response.status_code"] = Value(status) }
        if let responseBytes { attributes["http.response.body.size"] = Value(responseBytes) }
        return attributes
    }

    /// Why the exchange counts as failed, if it does: OpenTelemetry's clients set an error from status 400 on.
    func failure(status: Int?) -> String? {
        guard let status, status >= 400 else { return nil }
        return "status \(status)"
    }

    /// A path whose numeric and UUID parts are `*`: `/recipes/42/steps` becomes `/recipes/*/steps`.
    static func template(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            let isNumber = !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            return isNumber || UUID(uuidString: String(part)) != nil ? "*" : String(part)
        }.joined(separator: "/")
    }

    /// The address without user, password and fragment, and with query values replaced.
    static func redacted(_ url: URL) -> String {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return "" }
        components.user = nil
        components.password = nil
        components.fragment = nil
        components.queryItems = components.queryItems?.map { URLQueryItem(name: $0.name, value: "REDACTED") }
        return components.string ?? ""
    }
}
