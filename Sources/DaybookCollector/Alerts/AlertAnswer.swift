import DaybookStore

/// The answer to an alert's question: a value per label; `nil` for NULL.
///
/// Bad records do not spoil it: what can be judged is, and ``remarks`` count the rest.
struct AlertAnswer: Sendable, Equatable {
    /// The most firing labels of an alert, and the most value combinations that a watch expects again.
    static let maximumLabels = 1_000
    static let maximumRows = 10_000

    struct Problem: Error, CustomStringConvertible {
        var description: String

        fileprivate static func notANumber(_ value: String) -> Problem {
            Problem(description: "the value `\(value)` is not a number")
        }
    }

    /// By label; empty without a `label` column. No rows, no entries.
    var values: [String: Double?] = [:]
    /// A watch's failing labels, each with the reason.
    var troubles: [String: String] = [:]
    /// Labels whose values are not numbers.
    var unread: Set<String> = []
    /// Whether the answer is complete: no other labels exist.
    var isWhole = true
    /// What was left out and how much; each a sentence ending.
    var remarks: [String] = []

    init(values: [String: Double?], troubles: [String: String] = [:]) {
        self.values = values
        self.troubles = troubles
    }

    /// Whether there were no rows, or only NULLs.
    var hasNoData: Bool { unread.isEmpty && !values.values.contains { $0 != nil } }

    /// The labels to judge; an answer without rows has the empty label.
    var labels: Set<String> { values.isEmpty && unread.isEmpty ? [""] : Set(values.keys) }

    func value(of label: String) -> Double? { values[label] ?? nil }

    func holds(_ rule: AlertRule, for label: String) -> Bool {
        if troubles[label] != nil { return true }
        guard let value = value(of: label) else { return rule.firesWithoutData && hasNoData && label.isEmpty }
        return rule.condition?.holds(for: value) ?? false
    }

    /// The value is the first column besides `label`; without a `label` column only the first row counts.
    /// - Throws: ``Problem`` if there is no value column.
    init(_ result: QueryResult, _ names: AlertLabels) throws(Problem) {
        let label = result.columns.firstIndex(of: "label")
        guard let value = result.columns.indices.first(where: { $0 != label }) else {
            throw Problem(description: "the statement returns no value beside `label`")
        }
        var numbers: [String: Int] = [:]
        var strange: String?
        for row in result.rows.prefix(label == nil ? 1 : Self.maximumRows) {
            let name = name(names.fitting(label.map { Self.text(row[$0]) } ?? ""), names, &numbers)
            do {
                values[name] = .some(try Self.number(row[value]))
            } catch {
                guard label != nil else { throw error }
                unread.insert(name)
                strange = strange ?? name
            }
        }
        if values.isEmpty, let strange {
            throw Problem(description: "no label has a value that is a number, `\(strange)` for one")
        }
        if let strange { remarks.append("labels whose value is not a number, such as `\(strange)`: \(unread.count)") }
        if let first = numbers.keys.min() {
            remarks.append(
                "labels that occur more than once, such as `\(first)`, and are told as `\(first) (2)`: \(numbers.count)"
            )
        }
        if label != nil, result.isTruncated || result.rows.count > Self.maximumRows {
            isWhole = false
            remarks.append(
                "rows behind the first \(values.count + unread.count): the statement returns more than are judged")
        }
    }

    /// A unique label: values that look alike, such as a number and a text, would otherwise collide.
    private func name(_ label: String, _ names: AlertLabels, _ numbers: inout [String: Int]) -> String {
        var name = label
        while values[name] != nil || unread.contains(name) {
            numbers[label, default: 1] += 1
            name = names.fitting("\(label) (\(numbers[label, default: 1]))")
        }
        return name
    }

    private static func number(_ cell: QueryResult.Cell) throws(Problem) -> Double? {
        switch cell {
        case .null: return nil
        case .integer(let integer): return Double(integer)
        case .real(let real) where !real.isNaN: return real
        case .text(let text):
            guard let number = Double(text), !number.isNaN else { throw .notANumber(String(text.prefix(40))) }
            return number
        case .real: throw .notANumber("NaN")
        case .blob: throw Problem(description: "the value is not a number")
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
