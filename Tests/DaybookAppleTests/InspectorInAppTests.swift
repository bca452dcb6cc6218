import DaybookApple
import DaybookDefinitions
import DaybookHTTP
import DaybookInspector
import DaybookStore
import Foundation
import Testing

@Suite struct InspectorInAppTests {
    private let token = AccessToken()

    private func get(_ text: String) throws -> HTTPRequest? {
        InspectorAddress(token: token.text).request(
            method: "get", url: try #require(URL(string: text)), headers: ["Accept": "*/*", "Cookie": "daybook=x"],
            body: [])
    }

    @Test("The page and its API respond without a socket") func respondsWithoutSocket() async throws {
        let store = MemoryStore()
        try await store.append(
            RecordBatch(rows: [RecordRow(uid: "1", time: 1, kind: .event, level: 9, tag: "recipe.show")]))
        let inspector = InspectorHandler(
            store: store, definitions: Definitions(categories: []), checklists: [], token: token, notices: LiveNotices()
        )
        let page = try #require(InspectorAddress.page(at: "/net"))
        #expect(page.absoluteString == "daybook-inspector://app/#/net")
        let html = await inspector.respond(to: try #require(try get(page.absoluteString)))
        #expect(html.status == 200)
        #expect(InspectorAddress.fields(of: html)["content-type"]?.hasPrefix("text/html") == true)
        let records = await inspector.respond(
            to: try #require(try get("daybook-inspector://app/api/v1/records?limit=1")))
        guard case .bytes(let body) = records.body else {
            Issue.record("a stream")
            return
        }
        #expect(records.status == 200)
        #expect(String(decoding: body, as: UTF8.self).contains("recipe.show"))
    }

    @Test("A request carries the token and no cookie") func requestHasToken() throws {
        let request = try #require(try get("daybook-inspector://app/api/v1/status"))
        #expect(request.head.method == "GET")
        #expect(request.head.headers["authorization"] == "Bearer \(token.text)")
        #expect(request.head.headers["cookie"] == nil)
        #expect(request.head.headers["accept"] == "*/*")
    }

    @Test("The query is decoded exactly once") func decodesQueryOnce() throws {
        let request = try #require(try get("daybook-inspector://app/api/v1/records?text=a+b%2Bc%25%E5%8D%B5&x"))
        #expect(request.head.path == "/api/v1/records")
        #expect(request.head.query.map(\.name) == ["text", "x"])
        #expect(request.head.parameter("text") == "a b+c%卵")
        #expect(request.head.parameter("x") == "")
    }

    @Test(
        "Addresses other than the inspector's are not served",
        arguments: ["https://app/", "daybook-inspector://other/", "file:///etc/passwd", "daybook-inspector:app"])
    func rejectsForeignAddress(address: String) throws {
        #expect(try get(address) == nil)
    }

    @Test("A body beyond the limit is not served") func rejectsLongBody() throws {
        let url = try #require(InspectorAddress.page())
        let body = [UInt8](repeating: 0, count: InspectorAddress.bodyLimit + 1)
        #expect(InspectorAddress(token: "t").request(method: "POST", url: url, headers: [:], body: body) == nil)
    }

    @Test("Repeated header fields are joined") func joinsRepeatedFields() {
        let response = HTTPResponse(status: 200, headers: ["Vary": "a", "vary": "b", "ETag": "c"])
        #expect(InspectorAddress.fields(of: response) == ["vary": "a, b", "etag": "c"])
    }

    @Test("Messages from the page are parsed") func parsesPageMessages() throws {
        #expect(PageMessage(["action": "copy", "text": "a"]) == .copy("a"))
        let url = try #require(URL(string: "https://bi.example/?q=a"))
        #expect(PageMessage(["action": "open", "url": url.absoluteString]) == .open(url))
        #expect(
            PageMessage(["action": "share", "name": "feed.ndjson", "type": "x", "text": "{}"])
                == .share(name: "feed.ndjson", text: "{}"))
    }

    @Test(
        "Only web addresses are opened",
        arguments: ["javascript:alert(1)", "tel:117", "file:///etc/passwd", "https:", "myapp://pay", ""])
    func opensOnlyWebAddresses(address: String) {
        #expect(PageMessage(["action": "open", "url": address]) == nil)
    }

    @Test("A shared file's name cannot be a path") func fileNameIsNoPath() {
        func name(_ text: String) -> String? {
            guard case .share(let name, _)? = PageMessage(["action": "share", "name": text, "text": ""]) else {
                return nil
            }
            return name
        }
        #expect(name("../../Library/x.plist") == "-..-Library-x.plist")
        #expect(name("") == "daybook.txt")
        #expect(name(".hidden") == "hidden")
        #expect(name("記録 1.csv") == "記録 1.csv")
        #expect(name(String(repeating: "a", count: 1_000))?.count == 120)
    }

    @Test("Other messages are ignored") func ignoresOtherMessages() {
        #expect(PageMessage("copy") == nil)
        #expect(PageMessage(["action": "copy"]) == nil)
        #expect(PageMessage(["action": "delete", "text": "a"]) == nil)
    }

    @Test("A shake opens the inspector once") func shakeOpensOnce() {
        var opening = InspectorTrigger()
        #expect(opening.take(.asked(screen: nil), hasWindow: true, isOpen: false) == .open(screen: nil))
        #expect(opening.take(.asked(screen: nil), hasWindow: true, isOpen: true) == .none)
        #expect(opening.take(.asked(screen: "/net"), hasWindow: true, isOpen: false) == .open(screen: "/net"))
        #expect(opening.take(.windowAppeared, hasWindow: true, isOpen: false) == .none)
    }

    @Test("A launch argument waits for the first window") func launchWaitsForWindow() {
        var opening = InspectorTrigger()
        #expect(opening.take(.asked(screen: "/net"), hasWindow: false, isOpen: false) == .none)
        #expect(opening.take(.windowAppeared, hasWindow: false, isOpen: false) == .none)
        #expect(opening.take(.windowAppeared, hasWindow: true, isOpen: false) == .open(screen: "/net"))
        #expect(opening.take(.windowAppeared, hasWindow: true, isOpen: false) == .none)
    }

    @Test("A shake while a launch argument waits opens the inspector only once") func shakeReplacesLaunch() {
        var opening = InspectorTrigger()
        #expect(opening.take(.asked(screen: "/net"), hasWindow: false, isOpen: false) == .none)
        #expect(opening.take(.asked(screen: nil), hasWindow: true, isOpen: false) == .open(screen: nil))
        #expect(opening.take(.windowAppeared, hasWindow: true, isOpen: true) == .none)
    }
}
