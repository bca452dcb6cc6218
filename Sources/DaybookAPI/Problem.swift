import DaybookStore
import DaybookTools

/// Why a request failed: a code for programs and a line for people.
package struct Problem: Error, Sendable, Hashable {
    package enum Code: String, Sendable, CaseIterable {
        case badRequest = "bad_request"
        case unauthorized
        /// The key is valid, but does not allow this.
        case forbidden
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case badStatement = "bad_statement"
        /// A sign-off leaves failures or open items without a reason.
        case openItems = "open_items"
        /// The edited file has changed since.
        case conflict
        case limit
        case unavailable
        case storage

        package var status: Int {
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

    package var code: Code
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
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
