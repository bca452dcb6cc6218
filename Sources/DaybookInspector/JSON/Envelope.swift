import DaybookHTTP

/// The two shapes of every JSON answer: `{"ok":true,"data":…}` and `{"ok":false,"error":{"code","message"}}`.
enum Envelope {
    static func success(status: Int = 200, _ body: (inout JSONWriter) -> Void) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object {
            $0.key("ok")
            $0.bool(true)
            $0.key("data")
            body(&$0)
        }
        return HTTPResponse(
            status: status,
            headers: ["content-type": "application/json; charset=utf-8", "cache-control": "no-store"],
            body: .bytes(writer.bytes))
    }

    static func failure(_ problem: Problem) -> HTTPResponse {
        .problem(problem.code.status, code: problem.code.rawValue, problem.message)
    }
}
