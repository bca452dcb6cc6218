import DaybookDefinitions

/// The defined event a mistyped tag probably meant.
struct NearestNames: Sendable {
    /// Tags beyond this length are not compared: no definition is that long, and the work stays bounded.
    private static let longest = 120

    private let names: [[UInt8]]

    init(_ definitions: Definitions) {
        names = definitions.categories.flatMap { category in
            category.events.map { Array("\(category.name).\($0.name)".utf8) }
        }
    }

    /// The closest name within a third of the tag's length, at least 2; `nil` when none is that close.
    func nearest(to tag: String) -> String? {
        let wanted = Array(tag.utf8)
        guard wanted.count <= Self.longest else { return nil }
        var bound = max(2, wanted.count / 3)
        var best: [UInt8]?
        for name in names where abs(name.count - wanted.count) <= bound && name.count <= Self.longest {
            let distance = Self.distance(wanted, name, within: bound)
            if distance < bound || (best == nil && distance == bound) {
                (bound, best) = (distance, name)
            }
        }
        return best.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Levenshtein's distance over bytes; some number above `bound` once it must exceed it.
    private static func distance(_ left: [UInt8], _ right: [UInt8], within bound: Int) -> Int {
        var previous = Array(0...right.count)
        var current = previous
        for (row, byte) in left.enumerated() {
            current[0] = row + 1
            var smallest = current[0]
            for column in right.indices {
                let replaced = previous[column] + (right[column] == byte ? 0 : 1)
                current[column + 1] = min(replaced, previous[column + 1] + 1, current[column] + 1)
                smallest = min(smallest, current[column + 1])
            }
            guard smallest <= bound else { return bound + 1 }
            swap(&previous, &current)
        }
        return previous[right.count]
    }
}
