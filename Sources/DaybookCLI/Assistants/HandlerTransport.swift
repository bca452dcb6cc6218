import Daybook
import DaybookHTTP
import Foundation

/// Calls a handler in this process, so that clients of a collector's API work on a store, too.
struct HandlerTransport: HTTPTransport {
    let handler: any HTTPHandler

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let components = URLComponents(url: request.url, resolvingAgainstBaseURL: false) else {
            throw URLError(.badURL)
        }
        var head = HTTPRequest.Head(
            method: request.method, path: components.path,
            query: (components.queryItems ?? []).map { ($0.name, $0.value ?? "") })
        for (name, value) in request.headers { head.headers[name] = value }
        let response: HTTPResponse
        switch handler.admit(head) {
        case .refuse(let refusal): response = refusal
        case .accept: response = await handler.respond(to: HTTPRequest(head: head, body: request.body))
        }
        guard case .bytes(let body) = response.body else { throw URLError(.badServerResponse) }
        return TransportResponse(status: response.status, headers: [:], body: body)
    }
}
