import DaybookHTTP

/// Answers every request with success and discards it.
struct DiscardingReceiver: HTTPHandler {
    func admit(_ head: HTTPRequest.Head) -> HTTPAdmission { .accept(bodyLimit: 16 << 20) }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["content-type": "application/x-protobuf"])
    }
}
