import DaybookBase
import DaybookStore
import DaybookTools

/// Counts by the values of fields, in the requested order.
package struct FacetsAnswer: Sendable {
    package var fields: [FacetQuery.Field]
    package var facets: Facets

    package init(_ facets: Facets, of fields: [FacetQuery.Field]) { (self.facets, self.fields) = (facets, fields) }

    package static let form = Form<FacetsAnswer>.object(
        "FacetCounts",
        FormField("values", .members(.list(Facets.Value.form))) { answer in
            answer.fields.map { ($0.rawValue, answer.facets.values[$0] ?? []) }
        },
        FormField(
            "cut", .members(Facets.Cut.form), absent: [],
            about:
                "What is left out of a field's values: the sum of `most` over all parts is what counts are too low by at most."
        ) { answer in
            answer.fields.compactMap { field in answer.facets.cut[field].map { (field.rawValue, $0) } }
        },
        .init("next", .optional(.integer), \.facets.next), .init("progress", SearchProgress.form, \.facets.progress)
    ) { values, cut, next, progress in
        var facets = Facets(values: [:], next: next, progress: progress)
        var fields: [FacetQuery.Field] = []
        for (name, counted) in values {
            guard let field = FacetQuery.Field(rawValue: name) else { continue }
            fields.append(field)
            facets.values[field] = counted
        }
        for (name, cut) in cut { if let field = FacetQuery.Field(rawValue: name) { facets.cut[field] = cut } }
        return FacetsAnswer(facets, of: fields)
    }
}

extension Facets.Value {
    fileprivate static let form = Form<Facets.Value>.object(
        "FacetValue", .init("value", .text, \.value), .init("count", .integer, \.count)
    ) { Facets.Value(value: $0, count: $1) }
}

extension Facets.Cut {
    fileprivate static let form = Form<Facets.Cut>.object(
        "FacetCut", .init("values", .integer, \.values), .init("records", .integer, \.records),
        .init("most", .integer, \.most)
    ) { Facets.Cut(values: $0, records: $1, most: $2) }
}

/// A tag over all versions, with its count in each.
package struct TagAnswer: Sendable {
    package var summary: TagSummary
    package var versions: [(version: String?, count: Int64)]

    package static let form = Form<TagAnswer>.object(
        "TagSummary", .init("tag", .text, \.summary.tag), .init("kind", .text.named("Kind"), \.summary.kind),
        .init("count", .integer, \.summary.count), .init("first_time", .nanoseconds, \.summary.firstTime),
        .init("last_time", .nanoseconds, \.summary.lastTime),
        FormField("versions", .list(version)) { $0.versions.map { VersionCount(version: $0.version, count: $0.count) } }
    ) { tag, kind, count, first, last, versions in
        TagAnswer(
            summary: TagSummary(tag: tag, kind: kind, count: count, firstTime: first, lastTime: last),
            versions: versions.map { ($0.version, $0.count) })
    }

    private struct VersionCount: Sendable {
        var version: String?
        var count: Int64
    }

    private static let version = Form<VersionCount>.object(
        "VersionCount", .init("version", .optional(.text), \.version), .init("count", .integer, \.count)
    ) { VersionCount(version: $0, count: $1) }

    /// Tags by name, without the collector's own.
    package static func all(_ summaries: some Collection<TagSummary>) -> [TagAnswer] {
        let byVersion = summaries.filter { !OwnRecords.have($0.tag) }
            .sorted { ($0.version ?? "") < ($1.version ?? "") }
        let versions = Dictionary(grouping: byVersion) { [$0.tag, $0.kind] }
        return byVersion.mergingVersions().map { summary in
            TagAnswer(
                summary: summary,
                versions: (versions[[summary.tag, summary.kind]] ?? []).map { ($0.version, $0.count) })
        }
    }

    package var summaries: [TagSummary] {
        versions.map { version, count in
            var one = summary
            (one.version, one.count) = (version, count)
            return one
        }
    }
}

/// A page of tags. The next page may continue a tag's versions; then add its counts.
package struct TagsAnswer: Sendable {
    package var tags: [TagAnswer]
    package var next: String?
    package var unlisted: UnlistedNames

    package static let form = Form<TagsAnswer>.object(
        "TagPage", .init("tags", .list(TagAnswer.form), \.tags), .init("next", .optional(.text), \.next),
        .init(
            "unlisted", UnlistedNames.form, absent: UnlistedNames(),
            about: "Records whose names the store's list has had no room for.",
            \.unlisted), make: TagsAnswer.init)
}

extension PartialAnswer<TagAnswer> {
    package static let tags = form("MatchingTags", "tags", of: TagAnswer.form)
}

extension UnlistedNames {
    package static let form = Form<UnlistedNames>.object(
        "UnlistedNames", .init("tags", .integer, \.tags), .init("versions", .integer, \.versions)
    ) { tags, versions in
        var names = UnlistedNames()
        (names.tags, names.versions) = (tags, versions)
        return names
    }
}
