import DaybookHTTP
import Foundation

#if canImport(WebKit)
    import DaybookHTTP
    import Foundation
    import WebKit

    /// Answers a web view's requests with the inspector's handler, without a socket.
    @MainActor final class InspectorSchemeHandler: NSObject, WKURLSchemeHandler {
        private let handler: any HTTPHandler
        private let address: InspectorAddress
        /// Requests in progress. A stopped task is removed: using it again would crash the app.
        private var answers: [ObjectIdentifier: Task<Void, Never>] = [:]

        init(_ handler: any HTTPHandler, address: InspectorAddress) {
            self.handler = handler
            self.address = address
        }

        func webView(_ webView: WKWebView, start task: any WKURLSchemeTask) {
            guard let url = task.request.url,
                let request = address.request(
                    method: task.request.httpMethod ?? "GET", url: url,
                    headers: task.request.allHTTPHeaderFields ?? [:], body: [UInt8](task.request.httpBody ?? Data()))
            else {
                task.didFailWithError(URLError(.badURL))
                return
            }
            let id = ObjectIdentifier(task)
            answers[id] = Task {
                await answer(request, url, task, id)
                answers[id] = nil
            }
        }

        func webView(_ webView: WKWebView, stop task: any WKURLSchemeTask) {
            answers.removeValue(forKey: ObjectIdentifier(task))?.cancel()
        }

        private func answer(
            _ request: HTTPRequest, _ url: URL, _ task: any WKURLSchemeTask, _ id: ObjectIdentifier
        ) async {
            let response: HTTPResponse
            switch handler.admit(request.head) {
            case .refuse(let refusal): response = refusal
            case .accept(let limit) where request.body.count > limit:
                response = .problem(413, code: "too_large", "The body has more than \(limit) bytes.")
            case .accept: response = await handler.respond(to: request)
            }
            guard answers[id] != nil,
                let head = HTTPURLResponse(
                    url: url, statusCode: response.status, httpVersion: "HTTP/1.1",
                    headerFields: InspectorAddress.fields(of: response))
            else { return }
            task.didReceive(head)
            switch response.body {
            case .bytes(let bytes):
                task.didReceive(Data(bytes))
            case .stream(let chunks):
                for await chunk in chunks {
                    guard answers[id] != nil else { return }
                    task.didReceive(Data(chunk))
                }
            }
            if answers[id] != nil { task.didFinish() }
        }
    }
#endif

/// The inspector's address in a web view, and the conversion of its requests.
///
/// The scheme is the app's own, so nothing listens on a port. The token is added here; the page never sees it.
package struct InspectorAddress: Sendable {
    /// A scheme that web views do not handle themselves.
    package static let scheme = "daybook-inspector"
    package static let bodyLimit = 64 << 20
    private static let host = "app"

    private let token: String

    package init(token: String) { self.token = token }

    /// The page's URL with a screen, such as `/dict/recipe_search.search`; its first one by default.
    package static func page(at route: String? = nil) -> URL? {
        var components = URLComponents()
        components.scheme = scheme
        components.host = host
        components.path = "/"
        components.fragment = route
        return components.url
    }

    /// Whether a link leads to the page; others open in the browser.
    package static func owns(_ url: URL) -> Bool { url.scheme == scheme && url.host() == host }

    /// `nil` if the URL is not the inspector's.
    package func request(
        method: String, url: URL, headers: [String: String], body: [UInt8]
    ) -> HTTPRequest? {
        guard Self.owns(url), body.count <= Self.bodyLimit,
            let components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return nil }
        var fields = HTTPHeaders()
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { fields.add(name, value) }
        fields["authorization"] = "Bearer \(token)"
        fields["host"] = Self.host
        fields["cookie"] = nil
        // Web views encode a space as `+` or `%20`, and a plus as `%2B`.
        let query = (components.percentEncodedQueryItems ?? []).map { item in
            (name: Self.decoded(item.name), value: Self.decoded(item.value ?? ""))
        }
        return HTTPRequest(
            head: HTTPRequest.Head(
                method: method.uppercased(), path: components.path.isEmpty ? "/" : components.path, query: query,
                headers: fields),
            body: body)
    }

    private static func decoded(_ text: String) -> String {
        let spaced = text.replacingOccurrences(of: "+", with: " ")
        return spaced.removingPercentEncoding ?? spaced
    }

    /// Repeated headers are joined with commas.
    package static func fields(of response: HTTPResponse) -> [String: String] {
        response.headers.fields.reduce(into: [:]) { fields, field in
            let name = field.name.lowercased()
            fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
        }
    }
}
