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
        return response(status, writer.bytes)
    }

    static func failure(_ problem: Problem) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object {
            $0.key("ok")
            $0.bool(false)
            $0.key("error")
            $0.object {
                $0.key("code")
                $0.string(problem.code.rawValue)
                $0.key("message")
                $0.string(problem.message)
            }
        }
        return response(problem.code.status, writer.bytes)
    }

    private static func response(_ status: Int, _ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: ["content-type": "application/json; charset=utf-8", "cache-control": "no-store"],
            body: .bytes(bytes))
    }
}
