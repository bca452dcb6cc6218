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
        /// What is being answered. A task that the web view has stopped is gone from here: telling it more would end the
        /// app.
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

/// The address under which a web view finds the inspector, and the way from a web view's request to a handler's.
///
/// The scheme is the app's own, so that nothing listens on a port. Requests get the token here; the page never has it.
package struct InspectorAddress: Sendable {
    /// A scheme that no web view knows by itself.
    package static let scheme = "daybook-inspector"
    /// As much of a body as is taken.
    package static let bodyLimit = 64 << 20
    private static let host = "app"

    private let token: String

    package init(token: String) { self.token = token }

    /// The page, on one of its screens: `/dict/recipe_search.search`; without one on its first.
    package static func page(at route: String? = nil) -> URL? {
        var components = URLComponents()
        components.scheme = scheme
        components.host = host
        components.path = "/"
        components.fragment = route
        return components.url
    }

    /// Whether a link leads to the page itself; others are opened outside.
    package static func owns(_ url: URL) -> Bool { url.scheme == scheme && url.host() == host }

    /// The request for a handler; `nil` for an address that is not the inspector's.
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
        // A web view writes a space of a query as `+` or `%20`, a plus as `%2B`.
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

    /// A response's header as a web view takes it: a field that occurs twice becomes one with commas.
    package static func fields(of response: HTTPResponse) -> [String: String] {
        response.headers.fields.reduce(into: [:]) { fields, field in
            let name = field.name.lowercased()
            fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
        }
    }
}
