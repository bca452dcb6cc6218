import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookInspector
import DaybookStore

/// Asks an inspector in this process, without HTTP, as a reader whatever the key permits.
struct InspectorClient: APIClient {
    let inspector: InspectorHandler
    let key: String

    func data<Answer>(_ endpoint: Endpoint<Answer>, _ call: APICall) async throws -> Attributes {
        let head = HTTPRequest.Head(
            method: endpoint.method, path: endpoint.path(of: call.id), query: call.parameters,
            headers: ["authorization": "Bearer \(key)", Credentials.readingField: "only"])
        let response =
            switch inspector.admit(head) {
            case .refuse(let refusal): refusal
            case .accept: await inspector.respond(to: HTTPRequest(head: head, body: call.body))
            }
        do throws(Envelope.Failure) {
            if case .bytes(let body) = response.body, let data = try Envelope.data(of: body) { return data }
        } catch {
            throw StoreError(status: response.status, error)
        }
        throw StoreError(.storage, "\(endpoint.path) does not answer with JSON.")
    }
}
