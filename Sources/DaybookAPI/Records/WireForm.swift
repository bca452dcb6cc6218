import DaybookBase
import DaybookStore
import DaybookTools

/// Answers for programs that want every value as it is stored, where the page's are shortened and have no numbers that
/// JavaScript would round.
package enum WireForm: String, Sendable {
    /// Of records: whole, with `attributes` and `context` as the texts that are stored.
    case stored
    /// Of an answer to a statement: numbers as numbers of their kind.
    case exact

    /// The parameter that asks for a form.
    package static let parameter = "form"

    /// Whether a form is asked for.
    /// - Throws: ``Problem`` for another one.
    package static func isAsked(
        _ form: WireForm, in parameters: [(name: String, value: String)]
    ) throws(Problem) -> Bool {
        guard let text = parameters.first(where: { $0.name == parameter })?.value else {
            return false
        }
        guard text == form.rawValue else {
            throw Problem(.badRequest, "form is \(form.rawValue) or left out, not “\(text)”.")
        }
        return true
    }
}

extension Attributes {
    /// A member that is a text.
    package func text(_ name: String) -> String? {
        if case .string(let text)? = self[name] { text } else { nil }
    }

    /// A member that is a whole number, or a text of its digits.
    package func number(_ name: String) -> Int64? {
        switch self[name] {
        case .int(let number)?: number
        case .string(let digits)?: Int64(digits)
        default: nil
        }
    }

    /// The elements of a member that is an array.
    package func elements(_ name: String) -> [Value]? {
        if case .array(let elements)? = self[name] { elements } else { nil }
    }

    /// A member that is an object.
    package func members(_ name: String) -> Attributes? {
        if case .object(let members)? = self[name] { members } else { nil }
    }
}
