import DaybookBase
import DaybookHTTP
import DaybookHTTPServer
import DaybookTrials
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct ErrorShapeTests {
    /// What the server itself answers before or instead of a handler.
    @Test(
        "Every error of the server has the same JSON shape",
        arguments: [
            ("GET /nothing", [], 404, "not_found"), ("DELETE /here", [], 405, "method_not_allowed"),
            ("GET /%zz", [], 400, "target"), ("POST /here", [], 413, "too_large"),
            ("POST /here", ["Transfer-Encoding: gzip"], 501, "transfer_encoding"),
            ("POST /here", ["Expect: tea"], 417, "expectation"),
            ("GET /here", ["Origin: http://elsewhere.example"], 403, "forbidden_host"),
        ] as [(String, [String], Int, String)])
    func errorsShareOneShape(line: String, headers: [String], status: Int, code: String) async throws {
        let here = ClosureHandler(bodyLimit: 10) { _ in HTTPResponse(status: 204) }
        let router = HTTPRouter([HTTPRoute(["GET", "POST"], "/here", here)])
        try await withServer(router) { _, port in
            let response = try await offPool {
                let client = try RawClient(port: port)
                // Eleven bytes for a route that accepts ten, unless the framing is the error.
                let body =
                    line.hasPrefix("POST") && headers != ["Transfer-Encoding: gzip"] ? Array("hello world".utf8) : []
                client.request(line, headers: headers, body: body)
                return try client.readResponse()
            }
            #expect(response.status == status)
            #expect(response.headers["content-type"] == "application/json; charset=utf-8")
            #expect(response.headers["cache-control"] == "no-store")
            let object = try #require(try JSONReader.value(of: response.body).members)
            #expect(Set(object.keys) == ["ok", "error"])
            #expect(object["ok"] == false)
            let error = try #require(object["error"].members)
            #expect(Set(error.keys) == ["code", "message"])
            #expect(error["code"].text == code)
            #expect(error["message"].text?.isEmpty == false)
        }
    }
}
