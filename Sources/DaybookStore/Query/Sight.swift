import DaybookBase
import DaybookTools

/// What whoever asks a store sees of its records, and so can ask for: a condition on what is masked holds for no record,
/// and counts are by what takes its place.
package enum Sight: Sendable, Hashable {
    /// The records as they are stored.
    case whole
    /// The records as the policy masks them.
    case masked(MaskingPolicy)

    package var policy: MaskingPolicy? { if case .masked(let policy) = self { policy } else { nil } }

    /// What masks rows that are judged. Conditions on stand-ins would tell values apart.
    var mask: RecordMask? { policy.map { RecordMask($0.withPseudonyms(nil)) } }

    /// Whether the names of a filter's columns are all of values that may be seen; if not, one that is not.
    package func hidden(in expression: FilterExpression) -> String? {
        guard let policy else { return nil }
        return expression.comparedColumns.filter(policy.isPrivateAnywhere).min()
    }
}

/// A record, and as it is shown to whoever asks for it.
struct SeenRow {
    let row: RecordRow
    /// `nil` where all of it is shown.
    let shown: RecordRow?

    /// The message; `nil` where a part of it is masked.
    var message: String? { shown == nil || shown?.message == row.message ? row.message : nil }
}

extension RecordMask {
    /// - Parameter hasMessage: whether the message is looked at; otherwise it stays as it is.
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

/// A text as it is shown, in the runs that it shares with what is stored: what was put in the place of a value ends one.
struct ShownRuns {
    private static let ends = [Record.mask, CredentialScrubber.replacement]

    private(set) var runs: [Substring]

    init(of shown: String, in stored: String) {
        if shown == stored {
            runs = [shown[...]]
            return
        }
        let parts = Self.ends.reduce([shown[...]]) { runs, end in runs.flatMap { $0.split(separator: end) } }
        // A number is masked by a text, whose quotation marks it has not.
        runs = parts.map { $0.trimming { $0 == "\"" || $0 == "\\" } }
        // JSON that was written again may stand otherwise in the store, where the search looks first: what of it does not.
        let bytes = Array(stored.utf8)
        let stands = { (run: Substring) in bytes.firstRange(of: Array(run.utf8)) != nil }
        runs = runs.flatMap { stands($0) ? [$0] : $0.split(separator: ",").filter(stands) }
    }
}

extension Substring {
    /// Without the characters at both ends that are of these.
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        var rest = drop(while: isTrimmed)
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return rest
    }
}
