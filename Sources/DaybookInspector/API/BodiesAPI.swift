import DaybookAPI
import DaybookBase
import DaybookHTTP

/// Finds the bodies of an exchange that an app keeps in memory, by the span id of its record; `nil` if it does not, or
/// no longer, keep them. Called on any thread.
public typealias KeptBodies = @Sendable (_ spanID: String) -> (request: String?, response: String?)?

/// Bodies of requests, which records do not contain, for an inspector inside the app that keeps them.
struct BodiesAPI: Sendable {
    let records: RecordsAPI
    /// `nil` on a server, which keeps none.
    let kept: KeptBodies?

    var routes: [HTTPRoute] {
        [HTTPRoute("GET", "/api/v1/records/{id}/bodies") { try await bodies($0.number("id")) }]
    }

    private func bodies(_ id: Int64) async throws -> HTTPResponse {
        let found = try await records.stored(id).row.spanID.flatMap { kept?($0) }
        return Envelope.success {
            $0.object {
                $0.key("request")
                $0.string(found?.request)
                $0.key("response")
                $0.string(found?.response)
            }
        }
    }
}
