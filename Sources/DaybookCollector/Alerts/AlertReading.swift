import DaybookStore

/// What an alert's statement answered: a value for each label; `nil` where a value is no number or NULL.
struct AlertReading: Sendable, Equatable {
    /// The most labels of one alert; more is an error, for each would wake somebody.
    static let maximumLabels = 1_000

    /// Why an answer cannot be used.
    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// By label; the label of an alert without a column `label` is empty. No row leaves no entry.
    var values: [String: Double?] = [:]
    /// The labels of a watch that are in trouble, each with why.
    var troubles: [String: String] = [:]

    init(values: [String: Double?], troubles: [String: String] = [:]) {
        self.values = values
        self.troubles = troubles
    }

    /// Whether the answer says nothing: no row, or NULL in all.
    var hasNoData: Bool { !values.values.contains { $0 != nil } }

    /// What there is to judge; an answer without a row stands for the whole.
    var labels: Set<String> { values.isEmpty ? [""] : Set(values.keys) }

    /// The value of a label; `nil` for no data.
    func value(of label: String) -> Double? { values[label] ?? nil }

    /// Whether a label is in trouble by a rule.
    func holds(_ rule: AlertRule, for label: String) -> Bool {
        if troubles[label] != nil { return true }
        guard let value = value(of: label) else { return rule.firesWithoutData && hasNoData && label.isEmpty }
        return rule.condition?.holds(for: value) ?? false
    }

    /// Reads an answer: the value is the first column that is not `label`; without such a column, of the first row.
    /// - Throws: ``Problem``.
    init(_ result: QueryResult) throws(Problem) {
        let label = result.columns.firstIndex(of: "label")
        guard let value = result.columns.indices.first(where: { $0 != label }) else {
            throw Problem(description: "the statement answers no value beside `label`")
        }
        if result.isTruncated || result.rows.count > Self.maximumLabels, label != nil {
            throw Problem(description: "the statement answers more than \(Self.maximumLabels) labels")
        }
        for row in label == nil ? Array(result.rows.prefix(1)) : result.rows {
            let name = label.map { Self.text(row[$0]) } ?? ""
            guard values[name] == nil else { throw Problem(description: "the label `\(name)` is answered twice") }
            values[name] = .some(try Self.number(row[value]))
        }
    }

    private static func number(_ cell: QueryResult.Cell) throws(Problem) -> Double? {
        switch cell {
        case .null: return nil
        case .integer(let integer): return Double(integer)
        case .real(let real): return real
        case .text(let text):
            if let number = Double(text) { return number }
            throw Problem(description: "the value `\(text.prefix(40))` is no number")
        case .blob: throw Problem(description: "the value is no number")
        }
    }

    private static func text(_ cell: QueryResult.Cell) -> String {
        switch cell {
        case .null, .blob: ""
        case .integer(let integer): String(integer)
        case .real(let real): String(real)
        case .text(let text): text
        }
    }
}
