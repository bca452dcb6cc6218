/// What changes the records of one output as they are delivered to it; no other output sees it, and what is stored stays
/// as it is.
struct RouteTransform: Sendable {
    private let filters: [(pattern: TagPattern, filter: any Filter)]

    /// The transforms of an output's routes, in order, or `nil` if there are none.
    init?(_ filters: [(pattern: TagPattern, filter: any Filter)]) {
        if filters.isEmpty { return nil }
        self.filters = filters
    }

    /// The record as the output is to get it, or `nil` if it is not to get it at all.
    ///
    /// A record stays one record: it has one number, and a receiver that was sent it twice would take it once. So of
    /// several that a filter emits the first counts, and its number and context are those of the original.
    func transformed(_ record: Record) -> Record? {
        var current = record
        for (pattern, filter) in filters {
            guard let captured = pattern.match(current.tag) else { continue }
            var result: Record?
            filter.filter(current, captured: captured.isEmpty ? nil : captured) { if result == nil { result = $0 } }
            guard let result else { return nil }
            current = result
        }
        current.sequence = record.sequence
        current.context = record.context
        return current
    }
}
