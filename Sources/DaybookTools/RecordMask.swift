/// Masks records, of which most have nothing to mask: a policy behind the sieve that lets these pass.
package struct RecordMask: Sendable {
    package let policy: MaskingPolicy
    private let sieve: MaskingSieve

    package init(_ policy: MaskingPolicy) {
        self.policy = policy
        // What a record says of itself has a name that the sieve knows.
        sieve = MaskingSieve(columns: policy.names)
    }

    /// A record's attributes and context as people may see them; `nil` where they see all.
    package func shown(
        attributes: String, context: String, of tag: String
    ) -> (attributes: String, context: String)? {
        guard isSuspect(attributes) || isSuspect(context) else { return nil }
        let shown = policy.masked(attributes: attributes, context: context, of: tag)
        return shown == (attributes, context) ? nil : shown
    }

    /// A message as people may see it; `nil` where they see all.
    package func shown(message: String) -> String? {
        guard isSuspect(message) else { return nil }
        let shown = policy.masked(message)
        return shown == message ? nil : shown
    }

    private func isSuspect(_ text: String) -> Bool {
        var text = text
        return text.withUTF8(sieve.suspects)
    }
}
