import DaybookStore
import DaybookTools

package struct HistogramAnswer: Sendable {
    /// The first bucket's start: nanoseconds since 1970.
    package var start: Int64
    /// A bucket's width in nanoseconds.
    package var width: Int64
    package var buckets: Int
    /// By kind, level or value.
    package var counts: [(name: String, value: [Int64])]
    package var others: [Int64]
    package var outside: Int64
    package var next: Int64?
    package var progress: SearchProgress

    package static let form = Form<HistogramAnswer>.object(
        "Histogram", .init("start", .nanoseconds, \.start), .init("width", .nanoseconds, \.width),
        .init("buckets", .number, \.buckets),
        FormField("counts", .members(.list(.count))) { $0.counts },
        .init("others", .list(.count), about: "Of what is not told apart; empty where there is nothing.", \.others),
        .init(
            "outside", .count, about: "Records that match and are in no bucket, for their times are implausible.",
            \.outside), .init("next", .optional(.integer), \.next), .init("progress", SearchProgress.form, \.progress),
        make: HistogramAnswer.init)
}

extension HistogramAnswer {
    init(_ histogram: Histogram, of query: HistogramQuery, outside: Int64) {
        (start, width, buckets, self.outside) = (query.start, query.width, query.count, outside)
        counts = histogram.counts.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
        (others, next, progress) = (histogram.others, histogram.next, histogram.progress)
    }
}

extension Form<Int64> {
    /// A count of records, which the page adds up.
    fileprivate static let count = integer.named("number")
}

/// Violations by cause; the counts of parts add up.
package struct ViolationsAnswer: Sendable {
    /// A cause with its first violation.
    package struct Group: Sendable {
        package var tag: String
        package var first: ShownViolation
        package var count: Int64

        fileprivate static let form = Form<Group>.object(
            "ViolationCount", .init("tag", .text, \.tag), .init(members: ShownViolation.form, \.first),
            .init("count", .integer, \.count), make: Group.init)
    }

    package var head: Int64
    /// Records with a violation in this part.
    package var records: Int
    package var groups: [Group]
    package var next: Int64?
    package var progress: SearchProgress

    package static let form = Form<ViolationsAnswer>.object(
        "ViolationCounts", .init("head", .integer, \.head),
        .init("records", .number, about: "How many records have any.", \.records),
        .init("violations", .list(Group.form), \.groups), .init("next", .optional(.integer), \.next),
        .init("progress", SearchProgress.form, \.progress), make: ViolationsAnswer.init)
}
