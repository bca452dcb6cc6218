import DaybookBase
import DaybookTools

/// What a reader may see. A condition on a masked value matches nothing, and counts use its stand-in.
package enum Sight: Sendable, Hashable {
    case whole
    case masked(MaskingPolicy)

    package var policy: MaskingPolicy? { if case .masked(let policy) = self { policy } else { nil } }

    /// Without pseudonyms, because conditions on them would tell values apart.
    var mask: RecordMask? { policy.map { RecordMask($0.withPseudonyms(nil)) } }

    /// The name of a compared column with hidden values; `nil` if there is none.
    package func hidden(in expression: FilterExpression) -> String? {
        guard let policy else { return nil }
        return expression.comparedColumns.filter(policy.isPrivateAnywhere).min()
    }
}

/// A record, as stored and as shown to the reader.
struct SeenRow {
    let row: RecordRow
    /// `nil` if nothing is masked.
    let shown: RecordRow?

    /// The message; `nil` if part of it is masked.
    var message: String? { shown == nil || shown?.message == row.message ? row.message : nil }
}

extension RecordMask {
    /// - Parameter hasMessage: Whether to mask the message; otherwise it is left as stored.
    func seen(_ row: RecordRow, hasMessage: Bool) -> SeenRow {
        let texts = shown(attributes: row.attributes, context: row.context, of: row.tag)
        let message = hasMessage ? row.message.flatMap(shown(message:)) : nil
        guard texts != nil || message != nil else { return SeenRow(row: row, shown: nil) }
        var masked = row
        if let texts { (masked.attributes, masked.context) = texts }
        if let message { masked.message = message }
        return SeenRow(row: row, shown: masked)
    }
}

/// The runs of a shown text that also occur in the stored one; a stand-in ends a run.
struct ShownRuns {
    private static let ends = [Record.mask, CredentialScrubber.replacement]

    private(set) var runs: [Substring]

    init(of shown: String, in stored: String) {
        if shown == stored {
            runs = [shown[...]]
            return
        }
        let parts = Self.ends.reduce([shown[...]]) { runs, end in runs.flatMap { $0.split(separator: end) } }
        // A text that replaces a number adds quotation marks.
        runs = parts.map { $0.trimming { $0 == "\"" || $0 == "\\" } }
        // Rewritten JSON may differ from the stored text; keep only what both contain.
        let bytes = Array(stored.utf8)
        let stands = { (run: Substring) in bytes.firstRange(of: Array(run.utf8)) != nil }
        runs = runs.flatMap { stands($0) ? [$0] : $0.split(separator: ",").filter(stands) }
    }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        var rest = drop(while: isTrimmed)
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return rest
    }
}
