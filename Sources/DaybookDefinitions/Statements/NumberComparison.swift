import DaybookBase

extension StatementTables {
    /// Where a statement compares a column of numbers with a text that is none. SQLite takes such a comparison, and no number
    /// is ever equal to the text, or greater.
    package func warnings(of sql: String) -> [StatementWarning] { StatementReader(sql, self).findings }
}

extension StatementReader {
    private static let signs: Set = ["=", "==", "!=", "<>", "<", "<=", ">", ">=", "<=>"]
    private static let mirrored = ["<": ">", ">": "<", "<=": ">=", ">=": "<="]
    /// Words behind which an operand begins.
    private static let beginnings: Set = [
        "where", "prewhere", "and", "or", "not", "on", "having", "when", "then", "else", "case", "select", "distinct",
        "by",
        "qualify",
    ]
    /// Functions and words for dates and times, which are texts, or types of their own.
    private static let moments: Set = [
        "date", "datetime", "current_timestamp", "current_date", "localtimestamp", "now", "today", "yesterday",
        "todate",
        "todatetime",
    ]

    /// What an operand is that is no number.
    private enum Other {
        case text(String)
        case moment(String)
    }

    /// What the sign or word at `index` compares wrongly.
    func comparison(at index: Int, _ scope: Scope) -> [StatementWarning] {
        switch tokens[index].kind {
        case .sign(let sign) where Self.signs.contains(sign):
            if let column = operand(endingAt: index - 1, scope), let other = other(at: index + 1, scope) {
                return [warning(column, sign, other, at: index + 1)]
            }
            if let (column, end) = column(beginningAt: index + 1), isNumber(column, scope) == true, endsOperand(end),
                beginsOperand(index - 1), let other = other(at: index - 1, scope, isLast: false)
            {
                return [warning(column, Self.mirrored[sign] ?? sign, other, at: index - 1)]
            }
            return []
        case .word("is"):
            var next = index + 1
            let isNot = tokens.indices.contains(next) && tokens[next].isWord("not")
            if isNot { next += 1 }
            let isDistinct = tokens.indices.contains(next + 1) && tokens[next].isWord("distinct")
            if isDistinct { next += 2 }
            guard let column = operand(endingAt: index - 1, scope), let other = other(at: next, scope) else {
                return []
            }
            return [warning(column, isNot == isDistinct ? "=" : "!=", other, at: next)]
        case .word("between"):
            guard let column = operand(endingAt: beforeNot(index), scope) else { return [] }
            let and = tokens[(index + 1)...].firstIndex { $0.isWord("and") } ?? tokens.count
            return [index + 1, and + 1].compactMap { place in
                other(at: place, scope).map { warning(column, place == and + 1 ? "<=" : ">=", $0, at: place) }
            }
        case .word("in"):
            guard let column = operand(endingAt: beforeNot(index), scope), tokens.indices.contains(index + 1),
                tokens[index + 1].kind == .open, let end = closing[index + 1]
            else { return [] }
            return (index + 2..<max(end, index + 2)).compactMap { place in
                other(at: place, scope).map { warning(column, "=", $0, at: place) }
            }
        case .word("case"):
            guard let (column, end) = column(beginningAt: index + 1), isNumber(column, scope) == true else { return [] }
            return cases(from: end).compactMap { place in
                other(at: place, scope).map { warning(column, "=", $0, at: place) }
            }
        default: return []
        }
    }

    private func beforeNot(_ index: Int) -> Int {
        index > 0 && tokens[index - 1].isWord("not") ? index - 2 : index - 1
    }

    /// Where the values of `CASE column WHEN value` stand.
    private func cases(from start: Int) -> [Int] {
        guard tokens.indices.contains(start), tokens[start].isWord("when") else { return [] }
        var places: [Int] = []
        var depth = 0
        for index in start..<tokens.count {
            if tokens[index].isWord("case") { depth += 1 }
            if tokens[index].isWord("end") { depth -= 1 }
            if depth < 0 { break }
            if depth == 0, tokens[index].isWord("when") { places.append(index + 1) }
        }
        return places
    }

    /// The column of numbers that is a whole operand and ends at `index`.
    private func operand(endingAt index: Int, _ scope: Scope) -> ColumnName? {
        guard let column = column(endingAt: index), isNumber(column, scope) == true, beginsOperand(column.start) else {
            return nil
        }
        return column
    }

    private func beginsOperand(_ index: Int) -> Bool {
        guard index > 0 else { return true }
        return switch tokens[index - 1].kind {
        case .open, .comma: true
        case .word(let word): Self.beginnings.contains(word)
        default: false
        }
    }

    private func endsOperand(_ index: Int) -> Bool {
        guard tokens.indices.contains(index) else { return true }
        return switch tokens[index].kind {
        case .close, .comma, .word: true
        default: false
        }
    }

    /// The text or moment at `index`, if it is a whole operand and no number.
    /// - Parameter isLast: whether the comparison ends with it.
    private func other(at index: Int, _ scope: Scope, isLast: Bool = true) -> Other? {
        guard tokens.indices.contains(index) else { return nil }
        switch tokens[index].kind {
        case .text(let text) where !isLast || endsOperand(index + 1): return Self.isNumber(text) ? nil : .text(text)
        case .name(let name, let written) where tables.dialect == nil || tables.dialect == .sqlite:
            guard !isLast || endsOperand(index + 1), isNoColumn(name, scope), !Self.isNumber(written) else {
                return nil
            }
            return .text(written)
        case .word(let word) where Self.moments.contains(word):
            var next = index + 1
            if tokens.indices.contains(next), tokens[next].kind == .open {
                next = (closing[next] ?? next) + 1
            } else if !word.contains("_") {
                // A column of this name.
                return nil
            }
            guard tokens.indices.contains(next), case .sign(let sign) = tokens[next].kind else { return .moment(word) }
            return ["+", "-"].contains(sign) ? .moment(word) : nil
        default: return nil
        }
    }

    private static func isNumber(_ text: String) -> Bool {
        Double(text.trimmed) != nil
    }

    private func warning(_ column: ColumnName, _ sign: String, _ other: Other, at index: Int) -> StatementWarning {
        let what =
            switch other {
            case .text(let text): "the text '\(text.clipped)'"
            case .moment(let name): "what `\(name)` answers"
            }
        let token = tokens[index]
        return StatementWarning(
            line: token.line, column: token.column,
            message: "`\(column.written)` is a number and is compared with \(what)"
                + " (\(hint(column, sign, other)))")
    }

    private func hint(_ column: ColumnName, _ sign: String, _ other: Other) -> String {
        if ["level", "_level"].contains(column.name) {
            let names = ["warn": "warning", "err": "error", "critical": "fatal", "information": "info"]
            guard case .text(let text) = other,
                let level = Level(name: names[text.lowercased()] ?? text.lowercased())
            else { return "levels are 1 to 24: write `\(column.written) >= \(Level.error.rawValue)` for errors" }
            return
                "write `\(column.written) \(sign) \(level.rawValue)`, or `level_name = '\(level.name)'` in the views "
                + "messages, errors and requests"
        }
        if column.name == "time" || column.name.hasSuffix("_time") {
            let example =
                switch tables.dialect {
                case .sqlite: ": write `\(column.written) \(sign) unixepoch('2026-11-20') * 1000000000`"
                case .postgresql:
                    ": write `\(column.written) \(sign) extract(epoch FROM timestamptz '2026-11-20')::bigint * 1000000000`"
                case .clickhouse:
                    ": write `\(column.written) \(sign) toUnixTimestamp(toDateTime('2026-11-20 00:00:00')) * 1000000000`"
                case .redshift, nil: ""
                }
            return "times are nanoseconds since 1970\(example), or compare `_time` of a view"
        }
        if case .text(let text) = other, ["true", "false"].contains(text.lowercased()) {
            return "write `\(column.written) \(sign) \(text.lowercased() == "true" ? 1 : 0)`"
        }
        return "write a number, without quotation marks"
    }
}
