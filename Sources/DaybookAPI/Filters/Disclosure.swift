import DaybookBase
import DaybookStore
import DaybookTools
import Foundation

/// Masks values unless the request has `private=show`, which is logged.
package struct Disclosure: Sendable {
    package let masking: MaskingPolicy
    /// The sight without `private=show`. Pseudonyms stay the same while the inspector runs, so that a histogram can be
    /// queried by values from `facets`.
    package let masked: Sight
    /// Logs the end of a sentence about an action. The request follows `: ` and may contain private values.
    package let tell: @Sendable (String) -> Void

    package init(masking: MaskingPolicy, tell: @escaping @Sendable (String) -> Void) {
        self.masking = masking
        masked = .masked(masking.withPseudonyms())
        self.tell = tell
    }

    /// The masking of an answer; `nil` if private values were requested, which is logged.
    /// - Parameter what: What the answer shows, as part of a sentence.
    /// - Throws: ``Problem`` for another value of the parameter.
    package func policy(
        _ parameters: Parameters, _ what: () -> String
    ) throws(Problem) -> MaskingPolicy? {
        for (name, value) in parameters where name == "private" {
            guard value == "show" else { throw Problem(.badRequest, "private is show or left out, not “\(value)”.") }
            tell("showed " + what())
            return nil
        }
        return masking
    }

    package static func text(of parameters: Parameters) -> String {
        let words = parameters.filter { $0.name != "private" }.map {
            "\($0.name)=\($0.value.prefix(100))"
        }
        return words.isEmpty ? "all" : words.joined(separator: ", ")
    }
}
