import DaybookBase
import DaybookStore
import DaybookTools

/// An insight's state, and its table once it has ended.
package struct InsightAnswer: Sendable {
    package enum Kind: String, Sendable, CaseIterable { case funnel, retention, path, count, measure, differ }

    package var id: Int64
    package var insight: String
    package var kind: Kind
    package var counted: String
    package var sql: String
    package var warnings: [String] = []
    package var isRunning = true
    package var elapsed = Duration.zero
    package var limit = Duration.zero
    /// How much of the records a pass over them has read; `nil` where the database does not tell.
    package var progress: SearchProgress?
    package var outcome: (table: InsightTable, isTruncated: Bool)?

    static let form = Form<InsightAnswer>.object(
        "InsightAnswer", .init("id", .integer.named("number"), \.id), .init("insight", .text, \.insight),
        .init("kind", .word.named("InsightKind"), \.kind),
        .init("counted", .text, about: "The column that says how many.", \.counted), .init("sql", .text, \.sql),
        .init("warnings", .list(.text), \.warnings), .init("running", .bool, \.isRunning),
        .init("milliseconds", .milliseconds, \.elapsed), .init("limit_milliseconds", .milliseconds, \.limit),
        FormField(ifAny: "progress", SearchProgress.form) { $0.progress },
        FormField(ifAny: "columns", .list(.text)) { $0.outcome?.table.columns },
        FormField(ifAny: "rows", InsightTable.rows, about: "Shares are of 1, durations seconds.") {
            $0.outcome?.table.rows
        },
        FormField(ifAny: "truncated", .bool) { $0.outcome?.isTruncated },
        FormField(ifAny: "more_values", .integer, about: "Of the parameter: less frequent ones, which are left out.") {
            $0.outcome.flatMap { $0.table.moreValues > 0 ? $0.table.moreValues : nil }
        }
    ) {
        id, insight, kind, counted, sql, warnings, isRunning, elapsed, limit, progress, columns, rows, isTruncated,
        moreValues in
        var answer = InsightAnswer(id: id, insight: insight, kind: kind, counted: counted, sql: sql)
        (answer.warnings, answer.isRunning, answer.elapsed, answer.limit) = (warnings, isRunning, elapsed, limit)
        answer.progress = progress
        if let columns, let rows {
            let table = InsightTable(columns: columns, rows: rows, moreValues: moreValues ?? 0)
            answer.outcome = (table, isTruncated == true)
        }
        return answer
    }
}

extension InsightAnswer {
    package init(_ id: Int64, _ insight: Insight, sql: String) {
        self.init(
            id: id, insight: insight.description, kind: insight.kind, counted: insight.joining.counted, sql: sql)
    }
}

extension Insight {
    fileprivate var kind: InsightAnswer.Kind {
        switch question {
        case .funnel: .funnel
        case .retention: .retention
        case .path: .path
        case .count: .count
        case .measure: .measure
        case .differ: .differ
        }
    }
}

extension InsightTable {
    package static let rows = Form<[[Cell]]>.list(.list(cell))

    private static let cell = Form<Cell>("string | number | null") { cell, builder in
        switch cell {
        case .none: builder.null()
        case .text(let text): builder.string(text)
        case .count(let number): builder.integer(number)
        case .share(let share): builder.real(share)
        case .number(let number): builder.real(number)
        case .duration(let nanoseconds): builder.real(Double(nanoseconds) / 1e9)
        }
    } read: { value throws(FormError) in
        switch value {
        case .null: .none
        case .string(let text): .text(text)
        case .int(let number): .count(number)
        // JSON does not distinguish numbers, durations and shares.
        case .double(let number): .share(number)
        default: throw FormError("a cell of an insight")
        }
    }
}
