import DaybookHTTP
import Testing

@testable import DaybookInspector

@Suite struct AccessTests {
    /// Every route that needs a token, with a number for each name, and paths without a route.
    static let guarded: [(method: String, path: String)] =
        Bench().handler.routes.filter { !$0.isOpen }.map {
            ($0.methods?.first ?? "", $0.path.description.replacing(/{id…?}/, with: "1"))
        } + [
            ("GET", "/api/v1/nothing"), ("GET", "/api/v1/"), ("DELETE", "/api/v1/records"), ("GET", "/api/v1/runs/1"),
            ("GET", "/api/v1/checklists//restart"),
        ]
    static let refused: [HTTPHeaders] = [
        [:], ["authorization": ""], ["authorization": "Bearer "], ["authorization": "Bearer 0123456789abcdef"],
        ["authorization": "Bearer 00000000000000000000000000000000"],
        ["authorization": "Basic 0123456789abcdef0123456789abcdf0"],
        // Browsers send cookies to all ports of a host, so no cookie grants access, whatever its name.
        ["cookie": "daybook=0123456789abcdef0123456789abcdf0"],
        ["host": "127.0.0.1:4318", "cookie": "daybook-4318=0123456789abcdef0123456789abcdf0"],
        ["authorization": "Bearer x", "cookie": "daybook=0123456789abcdef0123456789abcdf0"],
    ]

    @Test("Every API route is closed without the token", arguments: guarded, refused.indices)
    func apiRequiresToken(_ route: (method: String, path: String), _ index: Int) async throws {
        let bench = Bench()
        #expect(bench.token.text == "0123456789abcdef0123456789abcdf0")
        let headers = Self.refused[index]
        let response = await bench.send(route.method, route.path, headers: headers)
        #expect(response.status == 401)
        #expect(try response.code() == "unauthorized")
        let head = HTTPRequest.Head(method: route.method, path: route.path, headers: headers)
        guard case .refuse(let early) = bench.handler.admit(head) else {
            Issue.record("the body of a refused request would be read")
            return
        }
        #expect(early.status == 401)
    }

    @Test(
        "Every route accepts the token as a bearer credential",
        arguments: guarded.filter { $0.method == "GET" && $0.path != "/api/v1/live" })
    func routesAcceptBearer(_ route: (method: String, path: String)) async {
        let bench = Bench(rows: [.event("feed.show_article")])
        for scheme in ["Bearer", "bearer"] {
            let response = await bench.send(
                route.method, route.path, body: "{\"sql\":\"x\"}",
                headers: ["authorization": "\(scheme) \(bench.token.text)"])
            #expect(response.status != 401, "\(route) \(scheme)")
            #expect(response.headers["set-cookie"] == nil, "\(route)")
        }
    }

    @Test("Only the page and the exchange of a pairing code need no token") func listsOpenRoutes() {
        #expect(
            Bench().handler.routes.filter(\.isOpen).map(\.path) == [
                "/", "/assets/{file…}", "/api/v1/pairings/redeem",
            ])
    }

    @Test("Routes added by a server require the same token for every method") func addedRoutesRequireToken()
        async throws
    {
        let bench = Bench()
        let alerts = HTTPRoute(
            "GET", "/api/v1/alerts",
            answer: { _ in HTTPResponse(status: 200, contentType: "text/plain", text: "alerts") })
        let handler = InspectorHandler(
            store: bench.store, definitions: .init(), checklists: [], token: bench.token, notices: bench.notices
        ) {
            $0.routes = [alerts]
        }
        func status(_ method: String, _ headers: HTTPHeaders) async -> Int {
            let head = HTTPRequest.Head(method: method, path: "/api/v1/alerts", headers: headers)
            return await handler.respond(to: HTTPRequest(head: head)).status
        }
        #expect(await status("GET", [:]) == 401)
        #expect(await status("DELETE", [:]) == 401)
        #expect(await status("GET", ["authorization": "Bearer \(bench.token.text)"]) == 200)
        #expect(await status("DELETE", ["authorization": "Bearer \(bench.token.text)"]) == 405)
    }

    /// The caller knows that such a key exists; of any other key nothing is revealed.
    @Test("A key without read access learns its purpose, an unknown one nothing") func explainsKeyPurpose() async throws
    {
        let bench = Bench()
        let handler = InspectorHandler(
            store: bench.store, definitions: .init(), checklists: [], token: bench.token, notices: bench.notices
        ) {
            $0.keys = {
                ["Bearer s": .sending, "Bearer m": .measuring, "Bearer r": .reading][$0["authorization"] ?? ""]
            }
        }
        for (key, purpose) in [("s", "send records"), ("m", "read metrics")] {
            for (method, path) in Self.guarded {
                let head = HTTPRequest.Head(method: method, path: path, headers: ["authorization": "Bearer \(key)"])
                let response = await handler.respond(to: HTTPRequest(head: head))
                #expect(response.status == 403, "\(path)")
                #expect(try response.code() == "forbidden")
                guard case .bytes(let body) = response.body else { continue }
                #expect(
                    String(decoding: body, as: UTF8.self).contains(
                        "This key may only \(purpose); make one with `daybook keys add --for read`."))
            }
        }
        for (key, status) in [("r", 200), ("x", 401)] {
            let head = HTTPRequest.Head(
                method: "GET", path: "/api/v1/status", headers: ["authorization": "Bearer \(key)"])
            #expect(await handler.respond(to: HTTPRequest(head: head)).status == status)
        }
    }

    @Test("Tokens are random, unique and hidden from descriptions") func tokensStayHidden() {
        var source = SystemRandomNumberGenerator()
        let tokens = Set((0..<100).map { _ in AccessToken(using: &source).text })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.utf8.count == 32 })
        let token = AccessToken()
        #expect(!"\(token)".contains(token.text))
        #expect(token.matches(token.text))
        #expect(!token.matches(token.text + "0"))
        #expect(!token.matches(token.text.dropLast()))
        #expect(!token.matches(""))
    }

    @Test("Each route reads no more of the body than it needs") func routesLimitBodies() {
        let bench = Bench()
        func limit(_ method: String, _ path: String) -> Int? {
            let headers: HTTPHeaders = ["authorization": "Bearer \(bench.token.text)"]
            guard case .accept(let limit) = bench.handler.admit(.init(method: method, path: path, headers: headers))
            else { return nil }
            return limit
        }
        #expect(limit("GET", "/") == 0)
        #expect(limit("GET", "/api/v1/records") == 0)
        #expect(limit("POST", "/api/v1/sql") == 65_536)
        #expect(limit("POST", "/api/v1/records") == nil)
    }
}
