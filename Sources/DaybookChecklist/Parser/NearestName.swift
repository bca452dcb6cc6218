/// The name that a mistyped one was probably meant to be.
package enum NearestName {
    /// The nearest of `candidates`, where at most a third of `name`'s letters (and at least one) would have to change, and no
    /// more of any of its words: `feed.show_article` is no misspelling of `feed.tap_article`. The earlier of two equally near
    /// ones; `nil` if none is near or `name` has more than 100 letters.
    package static func of(_ name: some StringProtocol, among candidates: some Sequence<String>) -> String? {
        let letters = Array(name.unicodeScalars)
        guard letters.count <= 100 else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates where candidate != name {
            let limit = min(greatestChange(letters), (best?.distance ?? .max) - 1)
            guard limit > 0, let distance = change(letters, Array(candidate.unicodeScalars), limit: limit) else {
                continue
            }
            best = (candidate, distance)
        }
        return best?.name
    }

    private static func greatestChange(_ letters: some Collection<Unicode.Scalar>) -> Int { max(1, letters.count / 3) }

    /// The distance, word by word where both have equally many; `nil` if it is over `limit`, or a word is another one.
    private static func change(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], limit: Int) -> Int? {
        let (words, others) = (Self.words(left), Self.words(right))
        guard words.count == others.count, words.count > 1 else { return distance(left[...], right[...], limit: limit) }
        var sum = 0
        for (word, other) in zip(words, others) {
            guard let distance = distance(word, other, limit: greatestChange(word)) else { return nil }
            sum += distance
        }
        return sum <= limit ? sum : nil
    }

    private static func words(_ letters: [Unicode.Scalar]) -> [ArraySlice<Unicode.Scalar>] {
        letters.split { !$0.properties.isAlphabetic && $0.properties.numericType == nil }
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours between two words (optimal string
    /// alignment), or `nil` if it is over `limit`.
    private static func distance(
        _ left: ArraySlice<Unicode.Scalar>, _ right: ArraySlice<Unicode.Scalar>, limit: Int
    ) -> Int? {
        guard abs(left.count - right.count) <= limit else { return nil }
        let (left, right) = (Array(left), Array(right))
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count] <= limit ? last[right.count] : nil
    }
}
