import DaybookHTTP
import Testing

@Suite struct HTTPRouterTests {
    private let router = HTTPRouter([
        HTTPRoute(["GET"], .exact("/healthz"), ok("health")),
        HTTPRoute(["POST"], .exact("/v1/logs"), ok("logs")),
        HTTPRoute(["GET"], .prefix("/api"), ok("read")),
        HTTPRoute(["PUT", "DELETE"], .prefix("/api"), ok("write")),
        HTTPRoute(nil, .prefix("/"), ok("inspector")),
    ])

    private func answer(_ method: String, _ path: String) async -> (status: Int, text: String, allow: String?) {
        let response = await router.respond(to: HTTPRequest(head: HTTPRequest.Head(method: method, path: path)))
        let text = if case .bytes(let bytes) = response.body { String(decoding: bytes, as: UTF8.self) } else { "" }
        return (response.status, text, response.headers["Allow"])
    }

    @Test(arguments: [
        ("GET", "/healthz", "health"), ("HEAD", "/healthz", "health"), ("POST", "/v1/logs", "logs"),
        ("GET", "/api", "read"), ("GET", "/api/records", "read"), ("DELETE", "/api/records/1", "write"),
        ("GET", "/apiary", "inspector"), ("GET", "/", "inspector"), ("PATCH", "/x", "inspector"),
        ("GET", "/healthz/", "inspector"), ("GET", "/healthz/x", "inspector"),
    ])
    func sendsEachRequestToTheMostPreciseRoute(method: String, path: String, expected: String) async {
        let answer = await answer(method, path)
        #expect(answer.status == 200)
        #expect(answer.text == expected)
    }

    @Test func aWrongMethodIs405WithAllowEvenWhereAWiderRouteWouldTakeIt() async {
        let logs = await answer("GET", "/v1/logs")
        #expect(logs.status == 405)
        #expect(logs.allow == "POST")
        let api = await answer("POST", "/api/records")
        #expect(api.status == 405)
        #expect(api.allow == "DELETE, GET, HEAD, PUT")
    }

    @Test func anUnknownPathIs404AndRefusedBeforeTheBody() async {
        let router = HTTPRouter([HTTPRoute(["POST"], .exact("/v1/logs"), ok("logs"))])
        let head = HTTPRequest.Head(method: "POST", path: "/v2/\"logs\"\n")
        guard case .refuse(let response) = router.admit(head), case .bytes(let bytes) = response.body else {
            Issue.record("admitted")
            return
        }
        #expect(response.status == 404)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"ok":false,"error":{"code":"not_found","message":"There is nothing at /v2/\"logs\"\n."}}"# + "\n")
    }
}
