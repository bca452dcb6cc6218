/// The tags that no item names, for the near misses of a report: the first record of each of the first 1,000.
struct UnexpectedTags: Sendable {
    /// A record whose tag no item names.
    struct Sighting: Sendable {
        var tag: String
        var number: Int64
    }

    private static let limit = 1_000
    private var numbers: [String: Int64] = [:]

    mutating func add(_ record: some ChecklistRecord) {
        guard numbers.count < Self.limit, numbers[record.tag] == nil else { return }
        numbers[record.tag] = record.number
    }

    /// The one whose tag is a probable misspelling of the pattern's; `nil` for patterns with a wildcard.
    func nearest(to pattern: TagPattern) -> Sighting? {
        guard let tag = pattern.onlyTag, let near = NearestName.of(tag, among: numbers.keys.sorted()),
            let number = numbers[near]
        else { return nil }
        return Sighting(tag: near, number: number)
    }
}
