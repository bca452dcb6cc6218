import DaybookHTTP
import Testing

@Suite struct HostPolicyTests {
    private let policy = HostPolicy(loopbackPort: 4318, names: ["Logs.Example:4318", "logs.example"])

    private func judge(host: String?, origin: String? = nil) -> Bool {
        var headers: HTTPHeaders = [:]
        if let host { headers.add("Host", host) }
        if let origin { headers.add("Origin", origin) }
        return policy.judge(headers) == .allow
    }

    @Test(
        "Allows its own host names and addresses",
        arguments: [
            "127.0.0.1:4318", "localhost:4318", "[::1]:4318", "LOCALHOST:4318", "logs.example:4318", "logs.example",
        ])
    func allowsOwnHosts(host: String) {
        #expect(judge(host: host))
    }

    @Test(
        "Denies every other host, or none",
        arguments: [
            nil, "", "127.0.0.1", "localhost", "127.0.0.1:4319", "127.0.0.1:04318", "127.0.0.1:4318 ", "127.1:4318",
            "0.0.0.0:4318", "[::]:4318", "::1:4318", "evil.example:4318", "localhost.evil.example:4318",
            "localhost:4318@evil.example", "evil.example#localhost:4318", "logs.example.:4318", "xlogs.example",
            "localhost:4318, evil.example", "localhost.:4318",
        ])
    func deniesOtherHosts(host: String?) {
        #expect(!judge(host: host))
    }

    @Test("Denies a request with several Host fields") func deniesRepeatedHost() {
        var headers: HTTPHeaders = ["Host": "localhost:4318"]
        headers.add("host", "localhost:4318")
        #expect(policy.judge(headers) != .allow)
    }

    @Test("Allows only the origin of the same host") func allowsSameOrigin() {
        #expect(judge(host: "localhost:4318", origin: "http://localhost:4318"))
        #expect(judge(host: "[::1]:4318", origin: "http://[::1]:4318"))
        #expect(judge(host: "logs.example", origin: "https://logs.example"))
        #expect(judge(host: "logs.example", origin: "http://logs.example"))
    }

    @Test(
        "Denies every origin other than its own",
        arguments: [
            "null", "", "http://evil.example", "http://127.0.0.1:4318", "http://localhost", "https://localhost:4318",
            "http://localhost:4318.evil.example", "http://localhost:4318/", "file://", "http://localhost:43180",
            "chrome-extension://abc", "http://localhost:4318 http://evil.example",
        ])
    func deniesOtherOrigins(origin: String) {
        #expect(!judge(host: "localhost:4318", origin: origin))
    }

    @Test("Denies a request with several Origin fields") func deniesRepeatedOrigin() {
        var headers: HTTPHeaders = ["Host": "localhost:4318", "Origin": "http://localhost:4318"]
        headers.add("origin", "http://localhost:4318")
        #expect(policy.judge(headers) != .allow)
    }

    @Test("Port 80 can be left out of host and origin") func portEightyIsOptional() {
        let policy = HostPolicy(loopbackPort: 80)
        #expect(policy.judge(["Host": "localhost"]) == .allow)
        #expect(policy.judge(["Host": "localhost:80"]) == .allow)
        #expect(policy.judge(["Host": "localhost", "Origin": "http://localhost"]) == .allow)
    }

    @Test("The host guard refuses foreign hosts before every route") func hostGuardIsOutermost() async {
        let router = HTTPRouter([HTTPRoute(nil, "/…", ok("inside"))])
        let handler = HostGuard(policy, around: router)
        let head = HTTPRequest.Head(method: "POST", path: "/v1/logs", headers: ["Host": "evil.example"])
        guard case .refuse(let refusal) = handler.admit(head) else {
            Issue.record("admitted")
            return
        }
        let response = await handler.respond(to: HTTPRequest(head: head))
        #expect(refusal.status == 403)
        #expect(response.status == 403)
        guard case .bytes(let bytes) = response.body else {
            Issue.record("a stream")
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix(#"{"ok":false,"error":{"code":"forbidden_host","message":""#))
        #expect(text.split(separator: "\n").count == 1)
    }
}
