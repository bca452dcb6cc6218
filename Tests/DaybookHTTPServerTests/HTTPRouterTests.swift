import DaybookHTTP
import Testing

@Suite struct HTTPRouterTests {
    private let router = HTTPRouter([
        HTTPRoute(["GET"], "/healthz", ok("health")),
        HTTPRoute(["POST"], "/v1/logs", ok("logs")),
        HTTPRoute(["GET"], "/api/…", ok("read")),
        HTTPRoute(["PUT", "DELETE"], "/api/…", ok("write")),
        HTTPRoute(nil, "/…", ok("inspector")),
    ])

    private func answer(_ method: String, _ path: String) async -> (status: Int, text: String, allow: String?) {
        let response = await router.respond(to: HTTPRequest(head: HTTPRequest.Head(method: method, path: path)))
        let text = if case .bytes(let bytes) = response.body { String(decoding: bytes, as: UTF8.self) } else { "" }
        return (response.status, text, response.headers["Allow"])
    }

    @Test(
        "Each request goes to the most precise route",
        arguments: [
            ("GET", "/healthz", "health"), ("HEAD", "/healthz", "health"), ("POST", "/v1/logs", "logs"),
            ("GET", "/api", "read"), ("GET", "/api/records", "read"), ("DELETE", "/api/records/1", "write"),
            ("GET", "/apiary", "inspector"), ("GET", "/", "inspector"), ("PATCH", "/x", "inspector"),
            ("GET", "/healthz/", "inspector"), ("GET", "/healthz/x", "inspector"),
        ])
    func mostPreciseRouteWins(method: String, path: String, expected: String) async {
        let answer = await answer(method, path)
        #expect(answer.status == 200)
        #expect(answer.text == expected)
    }

    @Test("A wrong method is a 405 with Allow, even under a wider route") func wrongMethodIs405() async {
        let logs = await answer("GET", "/v1/logs")
        #expect(logs.status == 405)
        #expect(logs.allow == "POST")
        let api = await answer("POST", "/api/records")
        #expect(api.status == 405)
        #expect(api.allow == "DELETE, GET, HEAD, PUT")
    }

    @Test("An unknown path is refused with 404 before the body") func unknownPathIs404() async {
        let router = HTTPRouter([HTTPRoute(["POST"], "/v1/logs", ok("logs"))])
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

    @Test(
        "A pattern names parts of a path",
        arguments: [
            ("/records/{id}", "/records/7", ["id": "7"]), ("/records/{id}", "/records/", ["id": ""]),
            ("/records/{id}", "/records/7/8", nil), ("/records/{id}", "/records", nil),
            ("/sessions/{id…}", "/sessions/a/b", ["id": "a/b"]), ("/sessions/{id…}", "/sessions/", nil),
            ("/lists/{id…}/report", "/lists/a/report/report", ["id": "a/report"]),
            ("/lists/{id…}/report", "/lists//report", nil), ("/lists/{id…}/report", "/lists/report", nil),
            ("/a/{one}/b/{two}", "/a/1/b/2", ["one": "1", "two": "2"]), ("/", "/", [:]), ("/", "", nil),
            ("/api/…", "/api", [:]), ("/api/…", "/api/", [:]), ("/api/…", "/apiary", nil),
            ("/api/…", "/api/\u{301}x", [:]),
        ] as [(String, String, [String: String]?)])
    func patternNamesParts(pattern: String, path: String, expected: [String: String]?) async {
        let names = pattern.matches(of: /{(\w+)…?}/).map { String($0.1) }
        let router = HTTPRouter([
            HTTPRoute("GET", HTTPPath(stringLiteral: pattern)) { request in
                var response = HTTPResponse(status: 200)
                for name in names { response.headers.add(name, request.text(name)) }
                return response
            }
        ])
        let response = await router.respond(to: HTTPRequest(head: HTTPRequest.Head(method: "GET", path: path)))
        #expect(response.status == (expected == nil ? 404 : 200))
        for (name, value) in expected ?? [:] { #expect(response.headers[name] == value) }
    }

    @Test("The first part in which patterns differ decides") func firstDifferenceDecides() async {
        func route(_ path: HTTPPath) -> HTTPRoute {
            HTTPRoute("GET", path) { _ in
                HTTPResponse(status: 200, contentType: "text/plain", text: path.description)
            }
        }
        let router = HTTPRouter(
            ["/…", "/a/{id…}", "/a/{id}", "/a/{id}/b", "/a/count", "/a/{id…}/b", "/a/…"].map(route))
        for (path, expected) in [
            ("/a/count", "/a/count"), ("/a/7", "/a/{id}"), ("/a/7/b", "/a/{id}/b"), ("/a/7/8/b", "/a/{id…}/b"),
            ("/a/7/8", "/a/{id…}"), ("/a", "/a/…"), ("/b", "/…"),
        ] {
            let response = await router.respond(to: HTTPRequest(head: HTTPRequest.Head(method: "GET", path: path)))
            guard case .bytes(let bytes) = response.body else { continue }
            #expect(String(decoding: bytes, as: UTF8.self) == expected, "\(path)")
        }
    }

    @Test("Without authorization, missing and existing routes look alike") func hidesMissingRoutes() async {
        struct Denied: Error {}
        let router = HTTPRouter([
            HTTPRoute("GET", "/closed", bodyLimit: 7) { _ in HTTPResponse(status: 200) },
            HTTPRoute("GET", "/open", isOpen: true) { _ in HTTPResponse(status: 200) },
        ]) { head in
            if head.headers["authorization"] == nil { throw Denied() }
        } failure: {
            $0 is Denied ? HTTPResponse(status: 401) : HTTPRouter.problem($0)
        }
        func statuses(_ method: String, _ path: String) async -> [Int] {
            var statuses: [Int] = []
            for headers in [[:], ["authorization": "yes"]] as [HTTPHeaders] {
                let head = HTTPRequest.Head(method: method, path: path, headers: headers)
                let response = await router.respond(to: HTTPRequest(head: head))
                if case .refuse(let refusal) = router.admit(head) { #expect(refusal.status == response.status) }
                statuses.append(response.status)
            }
            return statuses
        }
        #expect(await statuses("GET", "/closed") == [401, 200])
        #expect(await statuses("DELETE", "/closed") == [401, 405])
        #expect(await statuses("GET", "/nothing") == [401, 404])
        #expect(await statuses("GET", "/open") == [200, 200])
        #expect(await statuses("DELETE", "/open") == [405, 405])
    }
}
