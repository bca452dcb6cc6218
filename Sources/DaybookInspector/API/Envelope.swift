import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTools

/// The two shapes of every JSON answer: `{"ok":true,"data":…}` and `{"ok":false,"error":{"code","message"}}`.
enum Envelope {
    static func success(status: Int = 200, _ body: (inout JSONBuilder) -> Void) -> HTTPResponse {
        var writer = JSONBuilder(integers: .stringsBeyondJavaScript)
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

    static func success<Model>(status: Int = 200, _ form: Form<Model>, _ model: Model) -> HTTPResponse {
        success(status: status) { form.write(model, to: &$0) }
    }

    static func failure(_ error: any Error) -> HTTPResponse {
        guard let error = error as? HTTPRoutingError else { return failure(Problem(error)) }
        let code: Problem.Code =
            switch error {
            case .badRequest: .badRequest
            case .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            }
        return failure(Problem(code, error.description))
    }

    static func failure(_ problem: Problem) -> HTTPResponse {
        .problem(problem.code.status, code: problem.code.rawValue, problem.message)
    }
}
