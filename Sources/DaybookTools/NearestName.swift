import DaybookBase

/// Suggests names for misspelt ones.
package enum NearestName {
    /// The nearest of `candidates`, ignoring case. At most a third of the longer name's letters (and at least one) may
    /// differ, and likewise in each word if both have equally many: `feed.show_article` is not a misspelling of
    /// `feed.tap_article`. The first of equals; `nil` if none is near or `name` has more than 160 letters.
    package static func of(_ name: some StringProtocol, among candidates: some Sequence<String>) -> String? {
        let wanted = Letters(name)
        guard !wanted.all.isEmpty, wanted.all.count <= 160 else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates where candidate != name {
            guard let distance = wanted.change(to: Letters(candidate), below: best?.distance ?? .max) else { continue }
            best = (candidate, distance)
        }
        return best?.name
    }

    /// A few likely names: the nearest, then those that contain its words in order, as `feed__show_article` contains
    /// those of `feed_show`; shortest first.
    package static func several(
        _ name: some StringProtocol, among candidates: some Sequence<String>, atMost count: Int = 3
    ) -> [String] {
        let wanted = Letters(name)
        guard wanted.all.count <= 160 else { return [] }
        let others = candidates.filter { $0 != name }
        let nearest = of(name, among: others)
        let holding = others.filter { $0 != nearest && wanted.hasItsWords(in: Letters($0)) }
            .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        return Array(([nearest].compactMap { $0 } + holding).prefix(count))
    }

    /// The message that a name is unknown: `There is no parameter “Version” (did you mean version?); there are …`.
    /// - Parameter place: prefixes the name in the message. Default: nothing.
    package static func unknown(
        _ kind: String, _ name: String, among names: some Collection<String>, in place: String = ""
    ) -> String {
        let known = names.sorted()
        let near = of(name, among: known).map { " (did you mean \($0)?)" } ?? ""
        let taken =
            switch known.count {
            case 0: "none is taken"
            case 1: "there is \(known[0])"
            default: "there are \(known.joined(separator: ", "))"
            }
        return "There is no \(kind) “\(place)\(name.printable.cut(toUTF8Bytes: 100))”\(near); \(taken)."
    }

    /// Whether one name may be a misspelling of the other.
    package static func isNear(_ name: String, _ other: String) -> Bool {
        Letters(name).change(to: Letters(other), below: .max) != nil
    }

    private struct Letters {
        let all: [Unicode.Scalar]
        let words: [[Unicode.Scalar]]

        init(_ name: some StringProtocol) {
            all = Array(name.lowercased().unicodeScalars)
            words = all.split { !$0.properties.isAlphabetic && $0.properties.numericType == nil }.map(Array.init)
        }

        /// The distance, per word if both have equally many; `nil` if not near, or no nearer than `bound`.
        func change(to other: Letters, below bound: Int) -> Int? {
            let limit = Self.limit(all, other.all)
            var sum = 0
            if words.count == other.words.count, words.count > 1 {
                for (word, otherWord) in zip(words, other.words) {
                    guard let distance = Self.distance(word, otherWord) else { return nil }
                    sum += distance
                }
            } else {
                guard let distance = Self.distance(all, other.all) else { return nil }
                sum = distance
            }
            return sum <= limit && sum < bound ? sum : nil
        }

        /// Whether all words occur in another name, in order.
        func hasItsWords(in other: Letters) -> Bool {
            var rest = other.words[...]
            return !words.isEmpty
                && words.allSatisfy { word in
                    guard let place = rest.firstIndex(of: word) else { return false }
                    rest = rest[(place + 1)...]
                    return true
                }
        }

        private static func limit(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
            max(1, max(left.count, right.count) / 3)
        }

        /// Optimal string alignment: insertions, deletions, substitutions and transpositions between two words; `nil`
        /// beyond the limit.
        private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int? {
            let limit = limit(left, right)
            guard abs(left.count - right.count) <= limit else { return nil }
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
}
