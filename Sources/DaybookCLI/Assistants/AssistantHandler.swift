import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookInspector

/// Assistants over HTTP: `POST /mcp`, one message and its response, with any key that the inspector accepts.
///
/// Format: Model Context Protocol, *Streamable HTTP*, without server-initiated streams (`GET`) and sessions.
/// Thread-safe.
struct AssistantHandler: HTTPHandler {
    let inspector: InspectorHandler

    /// Authorized like reading the status.
    private static func question(_ head: HTTPRequest.Head) -> HTTPRequest.Head {
        HTTPRequest.Head(method: "GET", path: Endpoints.status.path, headers: head.headers, peer: head.peer)
    }

    /// As for an SQL statement, since a message may run one.
    func work(of head: HTTPRequest.Head) -> HTTPWork {
        inspector.work(
            of: HTTPRequest.Head(method: "POST", path: Endpoints.sql.path, headers: head.headers, peer: head.peer))
    }

    func allows(_ head: HTTPRequest.Head) -> Bool { inspector.allows(Self.question(head)) }

    func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        if case .refuse(let refusal) = inspector.admit(Self.question(head)) { return .refuse(refusal) }
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
        guard let answer = await AssistantServer(InspectorClient(inspector: inspector, key: key)).answer(request.body)
        else { return HTTPResponse(status: 202) }
        return HTTPResponse(
            status: 200, headers: ["content-type": "application/json", "cache-control": "no-store"],
            body: .bytes(answer))
    }
}
