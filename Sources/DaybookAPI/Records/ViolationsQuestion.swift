import DaybookBase
import DaybookDefinitions
import DaybookStore
import DaybookTools

/// Counts violations by cause. Parts add up, so the sum is exact however many records there are.
package struct ViolationsQuestion: Sendable {
    private struct Cause: Hashable {
        var tag: String
        var kind: Violation.Kind
        var column: String?
    }

    /// Records per part.
    private static let pageSize = 1_000

    private let filters: FilterContext
    private let store: any EventStore

    package init(_ filters: FilterContext, of store: any EventStore) {
        (self.filters, self.store) = (filters, store)
    }

    /// - Throws: ``StoreError``, or ``Problem`` that names the parameter and its valid values.
    package func answer(_ parameters: Parameters) async throws -> ViolationsAnswer {
        let own = parameters.filter { !["limit", "order"].contains($0.name) }
        var query = try await RecordParameters(own, filters, in: store).query
        if query.filter.predicate == nil { query.filter.predicate = filters.defined.predicate() }
        query.limit = Self.pageSize
        // The head first: records that arrive in between are counted later, never twice.
        let head = try await store.head()
        query.before = min(query.before ?? .max, head + 1)
        let slice = try await store.slice(query)
        let mask = query.filter.sight.policy.map { RecordMask($0.withPseudonyms(nil)) }
        // With each cause's first violation.
        var counts: [Cause: (count: Int64, first: Violation)] = [:]
        for record in slice.records {
            // Definitions cover attributes and context, not messages.
            var row = record.row
            if let shown = mask?.shown(attributes: row.attributes, context: row.context, of: row.tag) {
                (row.attributes, row.context) = shown
            }
            for violation in filters.defined.violations(row) {
                let cause = Cause(
                    tag: record.row.tag.boundedName, kind: violation.kind, column: violation.column?.boundedName)
                counts[cause, default: (0, violation)].count += 1
            }
        }
        let isFull = slice.records.count == Self.pageSize
        let next = slice.isPartial ? slice.next : isFull ? slice.records.last?.id : nil
        let groups = counts.sorted { left, right in
            (right.value.count, left.key.tag, left.key.kind.rawValue, left.key.column ?? "")
                < (left.value.count, right.key.tag, right.key.kind.rawValue, right.key.column ?? "")
        }
        let shown = groups.map { cause, group in
            var first = ShownViolation(group.first)
            first.message = group.first.message.boundedName
            return ViolationsAnswer.Group(tag: cause.tag, first: first, count: group.count)
        }
        return ViolationsAnswer(
            head: head, records: slice.records.count, groups: shown, next: next, progress: slice.progress)
    }
}
