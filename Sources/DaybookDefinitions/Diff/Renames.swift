/// Pairs what is gone with what is new, where the one looks like the other under another name. A guess: both stay changes
/// that break whom they break.
enum Renames {
    /// Larger diffs are not read by people.
    private static let mostPairs = 200_000

    /// Columns of one type whose names are near, or whose words are the same, or of which one stands in the other's place.
    ///
    /// - Returns: Indices of `removed` and `added`; each is in one pair at most.
    static func columns(
        _ removed: [(index: Int, column: Column)], _ added: [(index: Int, column: Column)]
    ) -> [(removed: Int, added: Int)] {
        pairs(removed, added) { old, new in
            guard old.column.type == new.column.type else { return nil }
            let isNear = Suggestion.isNear(old.column.name, new.column.name)
            let saysTheSame = !old.column.details.isEmpty && old.column.details == new.column.details
            let score = (isNear ? 2 : 0) + (saysTheSame ? 2 : 0) + (old.index == new.index ? 1 : 0)
            return score > 0 ? score : nil
        }
    }

    /// Events that share at least three quarters of their columns, or half where the names are near. Without columns the
    /// name has to be near, or the same in another category.
    ///
    /// - Returns: Indices of `removed` and `added`; each is in one pair at most.
    static func events(
        _ removed: [(category: String, event: Event)], _ added: [(category: String, event: Event)]
    ) -> [(removed: Int, added: Int)] {
        func shape(_ event: Event) -> Set<String> { Set(event.columns.map { "\($0.name): \($0.type.source)" }) }
        let old = removed.map { (of: $0, shape: shape($0.event)) }
        let new = added.map { (of: $0, shape: shape($0.event)) }
        return pairs(old, new) { old, new in
            let isNear = Suggestion.isNear(old.of.event.name, new.of.event.name)
            let all = old.shape.union(new.shape).count
            guard all > 0 else { return isNear ? 100 : nil }
            let shared = 100 * old.shape.intersection(new.shape).count / all
            guard shared >= (isNear ? 50 : 75) else { return nil }
            return shared + (isNear ? 50 : 0) + (old.of.category == new.of.category ? 1 : 0)
        }
    }

    /// The best pairs first; nothing is used twice.
    private static func pairs<Item>(
        _ removed: [Item], _ added: [Item], score: (Item, Item) -> Int?
    ) -> [(removed: Int, added: Int)] {
        guard removed.count * added.count <= mostPairs else { return [] }
        var found: [(score: Int, removed: Int, added: Int)] = []
        for (first, old) in removed.enumerated() {
            for (second, new) in added.enumerated() {
                if let score = score(old, new) { found.append((score, first, second)) }
            }
        }
        found.sort { (-$0.score, $0.removed, $0.added) < (-$1.score, $1.removed, $1.added) }
        var (goneUsed, newUsed): (Set<Int>, Set<Int>) = ([], [])
        return found.compactMap { pair in
            guard !goneUsed.contains(pair.removed), newUsed.insert(pair.added).inserted else { return nil }
            goneUsed.insert(pair.removed)
            return (pair.removed, pair.added)
        }
    }
}
