import DaybookHTTP
import Testing

@testable import DaybookHTTPServer

@Suite struct ResponseCheckTests {
    @Test("A response keeps its fields, but the server sets its framing") func serverSetsFraming() {
        let checked = ResponseCheck.checked(
            HTTPResponse(
                status: 200, headers: ["ETag": "\"a\"", "Content-Length": "7", "Transfer-Encoding": "gzip"],
                body: .bytes([1])))
        #expect(checked.status == 200)
        #expect(checked.headers.fields.map(\.name) == ["ETag"])
    }

    @Test(
        "A field that could split the response becomes a 500",
        arguments: [("x", "a\r\nset-cookie: b"), ("x", "a\u{0}b"), ("x y", "a"), ("", "a"), ("x:", "a")])
    func splitFieldIs500(name: String, value: String) {
        var response = HTTPResponse(status: 200)
        response.headers.add(name, value)
        #expect(ResponseCheck.checked(response).status == 500)
    }

    @Test("A status that cannot end an exchange becomes a 500", arguments: [0, 100, 101, 199, 600, -1])
    func nonFinalStatusIs500(status: Int) {
        #expect(ResponseCheck.checked(HTTPResponse(status: status)).status == 500)
    }

    @Test("Exchanges are sanitized and shortened for logs") func sanitizesExchanges() {
        let exchange = ServedRequest(
            method: "GET\u{1B}[2J" + String(repeating: "X", count: 99),
            path: "/a\nb\u{202E}c" + String(repeating: "y", count: 999), status: 200, duration: .zero, isComplete: true)
        #expect(exchange.method == "GET?[2JXXXXXXXXX")
        #expect(exchange.path.hasPrefix("/a?b?cyyy"))
        #expect(exchange.path.count == 256)
    }
}
