extension Column {
    /// What a caller that still gives an obsolete column is told.
    var obsolescence: String {
        let reason = notes.map(\.asOneLine).joined(separator: "; ")
        return "the column \(name) is obsolete" + (reason.isEmpty ? "" : ": \(reason)")
    }

    /// What a reader of code is told of the column, in one line: notes and declared values, and in parentheses `facts`, which
    /// are its limits, and who may see the value. Empty if there is nothing to say.
    func documentation(_ facts: [String]) -> String {
        let facts =
            switch classification {
            case .plain: facts
            case .private: facts + ["private: masked on screens and in exports"]
            // A hash is as long as it is, whatever the value.
            case .sensitive: ["sensitive: stored as a keyed hash"]
            }
        var parts = details.filter { $0.depth == 1 }.map(\.text.asOneLine)
        if parts.isEmpty { parts = notes.map(\.asOneLine) }
        let text = parts.joinedAsSentences
        guard !facts.isEmpty else { return text }
        let limits = facts.joined(separator: "; ")
        return text.isEmpty ? limits.prefix(1).uppercased() + limits.dropFirst() : "\(text) (\(limits))"
    }
}

extension [String] {
    /// In one line: a semicolon after what does not end as a sentence does.
    fileprivate var joinedAsSentences: String {
        reduce("") { text, part in
            guard let last = text.last else { return part }
            return text + (".。!?！？".contains(last) ? " " : "; ") + part
        }
    }
}

extension String {
    /// Lines joined by spaces.
    var asOneLine: String {
        guard utf8.contains(.lineFeed) else { return trimmed }
        return split(separator: "\n").map { String($0).trimmed }.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
