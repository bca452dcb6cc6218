import DaybookHTTP

/// Answers `GET /metrics` in Prometheus' text format; with keys, to a key made for it. Safe to share between threads.
package struct MetricsHandler: HTTPHandler {
    private let keys: KeyRing?
    private let measure: @Sendable () async -> PrometheusText

    /// - Parameters:
    ///   - keys: who may read; `nil` asks for no key.
    ///   - measure: what there is to be read, in its order.
    package init(keys: KeyRing?, measure: @escaping @Sendable () async -> PrometheusText) {
        self.keys = keys
        self.measure = measure
    }

    package func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        denial(of: head).map { .refuse($0) } ?? .accept(bodyLimit: 0)
    }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let denial = denial(of: request.head) { return denial }
        return HTTPResponse(status: 200, contentType: PrometheusText.contentType, text: await measure().text)
    }

    private func denial(of head: HTTPRequest.Head) -> HTTPResponse? {
        guard let keys else { return nil }
        if case .accepted = keys.judge(head.headers, for: .metrics) { return nil }
        var response = HTTPResponse.problem(
            401, code: "unauthorized", "A key made with `daybook keys add --for metrics` is needed.")
        response.headers["www-authenticate"] = "Bearer realm=\"daybook\""
        return response
    }
}
