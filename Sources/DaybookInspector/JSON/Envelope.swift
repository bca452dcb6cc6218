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

    static func failure(_ problem: Problem) -> HTTPResponse {
        .problem(problem.code.status, code: problem.code.rawValue, problem.message)
    }
}

extension JSONBuilder {
    /// A number that is always a string, so that its readers meet one type: times and durations in nanoseconds.
    mutating func decimal(_ number: Int64?) {
        string(number.map { String($0) })
    }

    /// Stored JSON, checked and spliced; see ``JSONSplice``.
    /// - Parameter limit: bytes at most. Default: all of it.
    /// - Returns: whether it was cut.
    @discardableResult
    mutating func spliced(_ text: String, limit: Int? = nil) -> Bool {
        var isCut = false
        written { isCut = JSONSplice.append(text, to: &$0, limit: limit) }
        return isCut
    }

    /// A text of at most so many bytes; a longer one ends with an ellipsis.
    /// - Returns: whether it was cut.
    @discardableResult
    mutating func string(_ text: String?, limit: Int) -> Bool {
        guard let text, text.utf8.count > limit else {
            string(text)
            return false
        }
        string(text.cut(toUTF8Bytes: limit) + "…")
        return true
    }
}

/// Why a request was not answered: a code for programs and a line for people.
struct Problem: Error, Sendable, Hashable {
    enum Code: String, Sendable, CaseIterable {
        case badRequest = "bad_request"
        case unauthorized
        /// The key is right, and for less than this.
        case forbidden
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case badStatement = "bad_statement"
        /// A sign-off leaves failures or open items without a reason.
        case openItems = "open_items"
        /// What was edited is another one by now.
        case conflict
        case limit
        case unavailable
        case storage

        var status: Int {
            switch self {
            case .badRequest, .badStatement: 400
            case .unauthorized: 401
            case .forbidden: 403
            case .notFound: 404
            case .methodNotAllowed: 405
            case .openItems, .conflict: 409
            case .limit: 422
            case .unavailable: 503
            case .storage: 500
            }
        }
    }

    var code: Code
    var message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as HTTPRoutingError:
            let code: Code =
                switch error {
                case .badRequest: .badRequest
                case .notFound: .notFound
                case .methodNotAllowed: .methodNotAllowed
                }
            self.init(code, error.description)
        case let error as OwnedFile.Problem:
            let code: Code =
                switch error.kind {
                case .conflict: .conflict
                case .missing: .notFound
                case .busy: .unavailable
                case .storage: .storage
                }
            self.init(code, error.message)
        case let error as StoreError:
            let code: Code =
                switch error.code {
                case .badStatement: .badStatement
                case .limit: .limit
                case .unavailable: .unavailable
                case .storage, .clock: .storage
                }
            self.init(code, error.message)
        case AppendError.rejected(let flaw): self.init(.badRequest, flaw.description)
        case AppendError.failed(let error):
            self.init(error.code == .unavailable ? .unavailable : .storage, error.message)
        default: self.init(.storage, "The store failed: \(error).")
        }
    }
}
