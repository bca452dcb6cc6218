import DaybookBase
import DaybookHTTP
import DaybookInspector

/// Assistants over HTTP: `POST /mcp`, one message and its answer, for who has a key that the inspector takes.
///
/// Format: Model Context Protocol, *Streamable HTTP*. There is no stream of the server's own, which `GET` would open, and no
/// session. Safe to share between threads.
struct AssistantHandler: HTTPHandler {
    let inspector: InspectorHandler

    func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        // Whoever may not look may not ask.
        let question = HTTPRequest.Head(method: "GET", path: "/api/v1/status", headers: head.headers, peer: head.peer)
        if case .refuse(let refusal) = inspector.admit(question) { return .refuse(refusal) }
        guard head.method == "POST" else {
            var response = HTTPResponse.problem(405, code: "method_not_allowed", "/mcp takes POST, not \(head.method).")
            response.headers["allow"] = "POST"
            return .refuse(response)
        }
        if let revision = head.headers["mcp-protocol-version"], !AssistantServer.revisions.contains(revision) {
            let known = AssistantServer.revisions.joined(separator: ", ")
            return .refuse(
                .problem(
                    400, code: "bad_request",
                    "The protocol revision \(revision) is not supported; supported: \(known)."))
        }
        return .accept(bodyLimit: AssistantServer.messageLimit)
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let key = request.head.headers["authorization"]?.split(separator: " ").last.map(String.init) ?? ""
        let client = CollectorClient(
            address: CollectorAddress(base: "http://localhost", key: key),
            transport: HandlerTransport(handler: inspector), attempts: 1)
        guard let answer = await AssistantServer(client).answer(request.body) else { return HTTPResponse(status: 202) }
        return HTTPResponse(
            status: 200, headers: ["content-type": "application/json", "cache-control": "no-store"],
            body: .bytes(answer))
    }
}
