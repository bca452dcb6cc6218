/// Finds what an author probably meant.
enum Suggestion {
    /// The candidate nearest to `word` by edit distance, if it is near: at most a third of the longer one's length, and at
    /// least one character. Names of equally many words are compared word by word, and each has to be near: `show_article`
    /// is no misspelling of `tap_article`.
    static func nearest(to word: String, in candidates: [String]) -> String? {
        let wanted = Array(word.lowercased().unicodeScalars)
        guard !wanted.isEmpty, wanted.count <= 160 else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            guard let distance = change(wanted, Array(candidate.lowercased().unicodeScalars)) else { continue }
            if distance < (best?.distance ?? .max) { best = (candidate, distance) }
        }
        return best?.name
    }

    /// Whether one of two words may stand for the other.
    static func isNear(_ word: String, _ other: String) -> Bool { nearest(to: word, in: [other]) != nil }

    /// The distance; `nil` of what is not near.
    private static func change(_ name: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int? {
        let pairs = Array(zip(words(name), words(other)))
        guard pairs.count > 1, words(name).count == words(other).count else { return nearDistance(name, other) }
        let distances = pairs.compactMap { nearDistance(Array($0), Array($1)) }
        let sum = distances.reduce(0, +)
        return distances.count == pairs.count && sum <= limit(name, other) ? sum : nil
    }

    private static func words(_ name: [Unicode.Scalar]) -> [ArraySlice<Unicode.Scalar>] {
        name.split { !$0.properties.isAlphabetic && $0.properties.numericType == nil }
    }

    private static func limit(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int { max(1, max(a.count, b.count) / 3) }

    private static func nearDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int? {
        guard abs(a.count - b.count) <= limit(a, b) else { return nil }
        let distance = editDistance(a, b)
        return distance <= limit(a, b) ? distance : nil
    }

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
