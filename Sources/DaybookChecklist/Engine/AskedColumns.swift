import DaybookBase

/// Whether records can answer what an item asks of their columns. A `never` about a misspelt column, or one with values
/// of another type, would pass on any recording.
struct AskedColumns: Sendable {
    /// A question about an event's records, answered by the first record that can.
    private struct Question: Sendable {
        var event: TagPattern
        var column: String
        /// `nil` if any value will do.
        var test: ColumnTest?
        /// Whether the definitions have the column, so that it need not occur.
        var isDefined: Bool
        /// What the first record that could not answer had instead.
        var unanswered: Unanswered?
    }

    private enum Unanswered: Sendable {
        case value(ChecklistValue)
        /// `other` has a similar name.
        case absent(other: String?)
    }

    private var questions: [Question] = []

    init(_ expectation: ChecklistExpectation, catalog: EventCatalog?) {
        func ask(_ event: TagPattern, _ column: String, _ test: ColumnTest? = nil) {
            let isDefined = catalog?.knows(event) ?? false
            if test?.condition == .absent || test == nil && isDefined { return }
            questions.append(Question(event: event, column: column, test: test, isDefined: isDefined))
        }
        for clause in expectation.clauses {
            switch clause.meaning {
            case .per(let columns), .joining(let columns): columns.forEach { ask(expectation.pattern, $0) }
            case .each(let column, _): ask(expectation.pattern, column)
            case .until(let event), .after(let event), .before(let event):
                event.filter.forEach { ask(event.pattern, $0.column, $0) }
            case .where(let tests): tests.forEach { ask(expectation.pattern, $0.column, $0) }
            case .count, .within, .when: break
            }
        }
    }

    mutating func observe(_ record: some ChecklistRecord) {
        guard !questions.isEmpty else { return }
        questions.removeAll { question in
            question.event.judges(record.tag)
                && record.value(of: question.column).map { question.test?.canHold(for: $0) ?? true } ?? false
        }
        for index in questions.indices where questions[index].event.judges(record.tag) {
            let column = questions[index].column
            switch (questions[index].unanswered, record.value(of: column)) {
            case (nil, nil): questions[index].unanswered = .absent(other: Self.other(than: column, in: record))
            case (nil, let value?), (.absent?, let value?): questions[index].unanswered = .value(value)
            case (.absent(nil)?, nil):
                questions[index].unanswered = .absent(other: Self.other(than: column, in: record))
            default: break
            }
        }
    }

    /// Why the records so far cannot judge the item, if so.
    /// - Parameter isWindow: whether they are part of a stream, in which a column may be rare.
    func doubt(isWindow: Bool) -> [Reason.Phrase]? {
        for question in questions {
            let column = Reason.Argument(question.column)
            switch question.unanswered {
            case nil: continue
            case .value(let value)?:
                guard let test = question.test else { continue }
                return [.init(.neverHolds, ["test": .init(test.text)])] + test.explanation(of: value)
            case .absent(let other)?:
                if other == nil && (isWindow || question.isDefined) { continue }
                let hint = other.map { Reason.Phrase(.didYouMean, ["name": .init($0)]) } ?? .init(.columnsAre)
                return [
                    .init(.noneHas, ["event": .init(question.event.description), "column": column]), .init(.open),
                    hint, .init(.close),
                ]
            }
        }
        return nil
    }

    private static func other(than column: String, in record: some ChecklistRecord) -> String? {
        var snake = ""
        for character in column {
            if character.isUppercase, !snake.isEmpty, snake.last != "_" { snake += "_" }
            snake += character.lowercased()
        }
        let words = column.split(separator: "_")
        let camel = (words.first ?? "") + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        let candidates = [
            column.lowercased(), column.prefix(1).lowercased() + column.dropFirst(),
            column.prefix(1).uppercased() + column.dropFirst(), column.uppercased(), snake, String(camel),
            "_" + column.lowercased(),
        ]
        if let other = candidates.first(where: { $0 != column && record.value(of: $0) != nil }) { return other }
        return ["level", "severity", "log_level"].contains(column.lowercased()) ? "_level" : nil
    }
}

extension ColumnTest {
    fileprivate func canHold(for value: ChecklistValue) -> Bool {
        switch condition {
        case .exists, .absent: true
        case .matches: value.typeName != ChecklistValue.structure("").typeName
        default: comparedValues.contains { $0.typeName == value.typeName }
        }
    }
}
