import Daybook

/// A ``RecordFilter`` made ready to be asked about many rows. Belongs to one thread at a time.
package struct FilterMatch {
    private let filter: RecordFilter
    private let search: SearchText?
    private let pattern: TagPattern?
    private let excluding: [FilterMatch]
    private let buffer: FoldingBuffer

    /// - Throws: ``StoreError``, `badStatement` for a tag pattern that is none.
    package init(_ filter: RecordFilter) throws(StoreError) {
        self.filter = filter
        search = filter.text.isEmpty ? nil : SearchText(filter.text)
        pattern = try filter.pattern()
        var excluding: [FilterMatch] = []
        for filter in filter.excluding { excluding.append(try FilterMatch(filter)) }
        self.excluding = excluding
        buffer = FoldingBuffer()
    }

    package func matches(_ row: RecordRow) -> Bool {
        guard filter.kinds.isEmpty || filter.kinds.contains(row.kind.rawValue),
            row.level >= filter.minimumLevel ?? .min,
            row.time >= filter.since ?? .min, filter.until.map({ row.time < $0 }) ?? true,
            Self.meets(filter.session, row.session), Self.meets(filter.installation, row.installation),
            Self.meets(filter.module, row.module), Self.meets(filter.trace, row.traceID),
            Self.meets(filter.uid, row.uid),
            pattern.map({ $0.match(row.tag) != nil }) ?? Self.meets(filter.tag, row.tag),
            filter.version == nil || filter.version == ContextFields(row.context).version,
            search?.occurs(in: row, using: buffer) ?? true, filter.predicate?.matches(row) ?? true
        else { return false }
        return !excluding.contains { $0.matches(row) }
    }

    private static func meets(_ wanted: String?, _ value: String?) -> Bool { wanted == nil || wanted == value }
}

extension RecordFilter {
    /// The tag condition.
    /// - Throws: ``StoreError``, `badStatement` for a pattern that is none.
    package func pattern() throws(StoreError) -> TagPattern? {
        guard let tag else { return nil }
        // A tag without a wildcard is itself, whatever it looks like: senders choose freely.
        guard tag.contains("*") else { return nil }
        do {
            return try TagPattern(tag)
        } catch {
            throw StoreError(.badStatement, "The tag pattern cannot be used: \(error)")
        }
    }
}
