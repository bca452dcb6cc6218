import DaybookBase
import DaybookStore
import DaybookTools

/// The columns of an answer, as the statement names them.
extension Insight {
    /// Those that divide it.
    package var dividing: [String] {
        (isByVersion ? ["app_version"] : []) + (parameter == nil ? [] : ["app_value"])
            + (period.map { [$0.rawValue] } ?? [])
    }

    /// All of them, but for ``allValues``.
    var answered: [String] {
        switch question {
        case .funnel: dividing + ["step", "people", "median_nanoseconds"]
        case .retention: dividing + ["age", "people"]
        case .path(_, let length): dividing + (1...length).map { "next\($0)" } + ["times", "people", "all_times"]
        case .count: dividing + ["times", "people"]
        case .measure where isInBuckets: dividing + ["least", "times"]
        case .measure: dividing + ["times", "least"] + Self.percentiles.map { "p\($0)" } + ["most"]
        case .differ: ["name", "value", "of_first", "of_second", "all_first", "all_second"]
        }
    }

    /// How many values the parameter has, shown or not.
    static let allValues = "all_values"

    /// Whose sum over a value's rows says how frequent it is.
    var weight: (column: String, condition: (column: String, value: Int64)?) {
        switch question {
        case .funnel: ("people", ("step", 1))
        case .retention: ("people", ("age", 0))
        case .path, .count, .measure, .differ: ("times", nil)
        }
    }

    /// The rows of the ``top`` most frequent values of the parameter, the most frequent first, and of equally frequent ones
    /// the first in the order of their bytes.
    func mostFrequent(_ answer: QueryResult) -> QueryResult {
        func place(_ name: String) -> Int? { answer.columns.firstIndex(of: name) }
        let weight = weight
        guard let value = place("app_value"), let counted = place(weight.column) else { return answer }
        let condition = weight.condition.flatMap { condition in place(condition.column).map { ($0, condition.value) } }
        var weights: [ExactText: Int64] = [:]
        for row in answer.rows {
            guard case .text(let text) = row[value], case .integer(let count) = row[counted] else { continue }
            let counts = condition.map { row[$0] == .integer($1) } ?? true
            weights[ExactText(text), default: 0].add(clamping: counts ? count : 0)
        }
        let order = weights.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(top)
        let ranks = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1.key, $0) })
        let kept = answer.rows.compactMap { row -> (rank: Int, cells: [QueryResult.Cell])? in
            guard case .text(let text) = row[value], let rank = ranks[ExactText(text)] else { return nil }
            return (rank, row + [.integer(Int64(weights.count))])
        }
        // The rows of a value stay in their order.
        let rows = kept.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
        return QueryResult(
            columns: answer.columns + [Self.allValues], rows: rows.map(\.element.cells),
            isTruncated: answer.isTruncated)
    }
}

extension QueryResult {
    /// Leaves out the rows beyond the limits, as a store does with a statement's answer.
    mutating func cut(to limits: QueryLimits) {
        var budget = AnswerBudget(limits)
        let kept = rows.prefix { row in
            let sizes = row.map { cell in if case .text(let text) = cell { text.utf8.count } else { 0 } }
            return budget.take(sizes) == .whole
        }
        guard kept.count < rows.count else { return }
        (rows, isTruncated) = (Array(kept), true)
    }
}
