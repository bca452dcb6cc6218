import DaybookBase
import DaybookStore
import DaybookTools

/// Forms for programs that need every value as stored. The page's forms are shortened and quote numbers that JavaScript
/// would round.
package enum WireForm: String, Sendable {
    /// Records: complete, with `attributes` and `context` as JSON texts.
    case stored
    /// Statement results: numbers of their exact type.
    case exact

    package static let parameter = "form"

    /// Whether a form is requested.
    /// - Throws: ``Problem`` for an unknown form.
    package static func isAsked(
        _ form: WireForm, in parameters: Parameters
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
    package func text(_ name: String) -> String? {
        if case .string(let text)? = self[name] { text } else { nil }
    }

    /// A member's whole number, given as a number or digits.
    package func number(_ name: String) -> Int64? {
        switch self[name] {
        case .int(let number)?: number
        case .string(let digits)?: Int64(digits)
        default: nil
        }
    }

    package func elements(_ name: String) -> [Value]? {
        if case .array(let elements)? = self[name] { elements } else { nil }
    }

    package func members(_ name: String) -> Attributes? {
        if case .object(let members)? = self[name] { members } else { nil }
    }
}
