/// Masks records efficiently: a sieve passes those with nothing to mask, a policy handles the rest.
package struct RecordMask: Sendable {
    package let policy: MaskingPolicy
    private let sieve: MaskingSieve

    package init(_ policy: MaskingPolicy) {
        self.policy = policy
        // The sieve also knows the names under which records mark their own private columns.
        sieve = MaskingSieve(columns: policy.names)
    }

    /// A record's masked attributes and context; `nil` if nothing is masked.
    package func shown(
        attributes: String, context: String, of tag: String
    ) -> (attributes: String, context: String)? {
        guard mayHide(attributes: attributes, context: context) else { return nil }
        let shown = policy.masked(attributes: attributes, context: context, of: tag)
        return shown == (attributes, context) ? nil : shown
    }

    /// Whether a record may have something to mask.
    package func mayHide(attributes: String, context: String) -> Bool {
        isSuspect(attributes) || isSuspect(context)
    }

    /// A masked message; `nil` if nothing is masked.
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
