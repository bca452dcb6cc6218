import DaybookBase
import DaybookStore
import DaybookTools

/// Tags with their counts: a page of all, or those of matching records.
package struct TagsQuestion: Sendable {
    static let names: Set = ["after", "before", "filter", "private"]

    private let store: any EventStore
    private let filters: FilterContext

    package init(_ filters: FilterContext, of store: any EventStore) { (self.filters, self.store) = (filters, store) }

    /// A page of tags; see ``TagsAnswer``.
    /// - Throws: ``StoreError``, or ``Problem`` that names the parameter and its valid values.
    package func answer(_ parameters: Parameters) async throws -> TagsAnswer {
        var position: TagPosition?
        for (name, value) in parameters {
            guard name == "after" else { throw Problem(.badRequest, "\(name) is for filter; there is after.") }
            position = TagPosition(text: value)
            guard position != nil else {
                throw Problem(.badRequest, "after is the `next` of another answer, not “\(value)”.")
            }
        }
        let page = try await store.tagSummaries(after: position)
        return TagsAnswer(tags: TagAnswer.all(page.summaries), next: page.next?.text, unlisted: page.unlisted)
    }

    /// Tags of matching records; partial if there are many.
    package func matching(_ parameters: Parameters) async throws -> PartialAnswer<TagAnswer> {
        var before: Int64?
        var narrowing = FilterParameters(filters)
        for (name, value) in parameters {
            switch name {
            case "before": before = try FilterParameters.number(name, value, in: 0...Int64.max)
            case "filter", "private": try narrowing.read(name, value)
            default: throw Problem(.badRequest, "With filter there is before, not \(name).")
            }
        }
        try narrowing.finish()
        var counts = TagCounts()
        var contexts = ContextFieldsCache()
        let records = MatchingRecords(store: store, filter: narrowing.filter, before: before)
        let now = filters.now()
        let end = try await records.forEach { record in
            counts.add(record.row, version: contexts.fields(of: record.row.context).version, arrived: now)
            return counts.summaries.count < AnswerBounds.rows
        }
        return PartialAnswer(TagAnswer.all(counts.summaries), next: end.next, end.progress)
    }
}

extension TagPosition {
    /// As a parameter: a JSON array.
    fileprivate var text: String { JSONWriter.text(.array([.string(tag), .string(kind), .string(version)])) }

    /// `nil` for other text.
    fileprivate init?(text: String) {
        guard case .array(let parts)? = try? JSONReader.value(of: Array(text.utf8)), parts.count == 3,
            case .string(let tag) = parts[0], case .string(let kind) = parts[1], case .string(let version) = parts[2]
        else { return nil }
        self.init(tag: tag, kind: kind, version: version)
    }
}
