import DaybookBase
import DaybookStore
import DaybookTools
import Foundation

/// Values that are masked, and shown to those who ask: by the parameter `private=show`, which is told to the collector's
/// log. A value; safe to share between threads.
package struct Disclosure: Sendable {
    package let masking: MaskingPolicy
    /// What those see who do not ask for private values. Stand-ins stay the same while the inspector runs, so that a
    /// histogram can be asked by those of `facets`.
    package let masked: Sight
    /// Takes what the inspector did, as the end of a sentence; what stands behind `: ` is what somebody asked, and may have
    /// private values in it.
    package let tell: @Sendable (String) -> Void

    package init(masking: MaskingPolicy, tell: @escaping @Sendable (String) -> Void) {
        self.masking = masking
        masked = .masked(masking.withPseudonyms())
        self.tell = tell
    }

    /// What is masked in an answer; `nil` where all is asked for, and that was told.
    /// - Parameter what: half a sentence on what the answer shows.
    /// - Throws: ``Problem`` for another value of the parameter.
    package func policy(
        _ parameters: [(name: String, value: String)], _ what: () -> String
    ) throws(Problem) -> MaskingPolicy? {
        for (name, value) in parameters where name == "private" {
            guard value == "show" else { throw Problem(.badRequest, "private is show or left out, not “\(value)”.") }
            tell("showed " + what())
            return nil
        }
        return masking
    }

    /// The parameters in a line of the log.
    package static func text(of parameters: [(name: String, value: String)]) -> String {
        let words = parameters.filter { $0.name != "private" }.map {
            "\($0.name)=\($0.value.prefix(100))"
        }
        return words.isEmpty ? "all" : words.joined(separator: ", ")
    }
}
