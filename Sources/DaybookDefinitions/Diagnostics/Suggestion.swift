/// Finds what an author probably meant.
enum Suggestion {
    /// The candidate nearest to `word` by edit distance, if it is near: at most a third of the longer one's length,
    /// and at least one character.
    static func nearest(to word: String, in candidates: [String]) -> String? {
        let wanted = Array(word.lowercased().unicodeScalars)
        guard !wanted.isEmpty, wanted.count <= 160 else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let other = Array(candidate.lowercased().unicodeScalars)
            let distance = editDistance(wanted, other)
            let limit = max(1, max(wanted.count, other.count) / 3)
            if distance <= limit, distance < (best?.distance ?? .max) { best = (candidate, distance) }
        }
        return best?.name
    }

    /// Whether one of two words may stand for the other.
    static func isNear(_ word: String, _ other: String) -> Bool { nearest(to: word, in: [other]) != nil }

    /// Damerau–Levenshtein distance in its restricted form: insert, delete, replace, swap neighbours.
    private static func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var beforePrevious = [Int](repeating: 0, count: b.count + 1)
        var previous = Array(0...b.count)
        for i in 1...a.count {
            var current = [Int](repeating: i, count: b.count + 1)
            for j in 1...b.count {
                let substitution = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                current[j] = min(previous[j] + 1, current[j - 1] + 1, substitution)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    current[j] = min(current[j], beforePrevious[j - 2] + 1)
                }
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[b.count]
    }
}
