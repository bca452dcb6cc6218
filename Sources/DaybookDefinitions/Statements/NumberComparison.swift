import DaybookBase
import DaybookTools

extension StatementTables {
    /// Where a statement makes a comparison that a store takes and that never holds, or always: of numbers with texts, of
    /// times of two forms, of names of levels.
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

    /// A column of a known sort, or what is made of one.
    struct Operand {
        var sort: SQLSort
        var tokens: Range<Int>
        /// As it is written, for messages.
        var written: String
        /// Of the column, if it is one.
        var name: String?
    }

    /// What it is compared with.
    enum Other {
        case text(String)
        case number
        /// The function that makes a text or a type of its own of a time.
        case moment(String)
        /// The function that answers with seconds.
        case seconds(String)
    }

    /// What the sign or word at `index` compares wrongly.
    func comparison(at index: Int, _ scope: Scope) -> [StatementWarning] {
        switch tokens[index].kind {
        case .sign(let sign) where Self.signs.contains(sign):
            if let operand = operand(endingAt: index - 1, scope), let other = other(at: index + 1, scope) {
                return warnings(operand, sign, other, at: index + 1)
            }
            if let operand = operand(beginningAt: index + 1, scope), endsOperand(operand.tokens.upperBound),
                beginsOperand(index - 1), let other = other(at: index - 1, scope, isLast: false)
            {
                return warnings(operand, Self.mirrored[sign] ?? sign, other, at: index - 1)
            }
            return []
        case .word("is"):
            var next = index + 1
            let isNot = tokens.indices.contains(next) && tokens[next].isWord("not")
            if isNot { next += 1 }
            let isDistinct = tokens.indices.contains(next + 1) && tokens[next].isWord("distinct")
            if isDistinct { next += 2 }
            guard let operand = operand(endingAt: index - 1, scope), let other = other(at: next, scope) else {
                return []
            }
            return warnings(operand, isNot == isDistinct ? "=" : "!=", other, at: next)
        case .word("between"):
            let before = beforeNot(index)
            guard let operand = operand(endingAt: before, scope) else {
                guard beginsOperand(before), let operand = self.operand(beginningAt: index + 1, scope),
                    let other = other(at: before, scope, isLast: false)
                else { return [] }
                return warnings(operand, "<=", other, at: before)
            }
            let and = tokens[(index + 1)...].firstIndex { $0.isWord("and") } ?? tokens.count
            return [index + 1, and + 1].flatMap { place in
                other(at: place, scope).map { warnings(operand, place == and + 1 ? "<=" : ">=", $0, at: place) } ?? []
            }
        case .word("in"):
            guard let operand = operand(endingAt: beforeNot(index), scope), tokens.indices.contains(index + 1),
                tokens[index + 1].kind == .open, let end = closing[index + 1]
            else { return [] }
            return (index + 2..<max(end, index + 2)).flatMap { place in
                other(at: place, scope).map { warnings(operand, "=", $0, at: place) } ?? []
            }
        case .word("like"), .word("glob"), .word("ilike"):
            guard let operand = operand(endingAt: beforeNot(index), scope), operand.sort.isNumber,
                case .text(let text)? = other(at: index + 1, scope),
                text.unicodeScalars.first?.properties.isAlphabetic == true
            else { return [] }
            return warnings(operand, "=", .text(text), at: index + 1)
        case .word("case"):
            guard let operand = operand(beginningAt: index + 1, scope) else { return [] }
            return cases(from: operand.tokens.upperBound).flatMap { place in
                other(at: place, scope).map { warnings(operand, "=", $0, at: place) } ?? []
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

    /// The whole operand of a known sort that ends at `index`.
    private func operand(endingAt index: Int, _ scope: Scope) -> Operand? {
        var last = index
        if tokens.indices.contains(last - 1), tokens[last - 1].isWord("collate") { last -= 2 }
        guard tokens.indices.contains(last) else { return nil }
        var start = last
        if let open = opening[last] {
            // With the function's name.
            start =
                name(at: open - 1).map { Self.beginnings.contains($0) || Self.infixes.contains($0) } == false
                ? open - 1 : open
        } else if let column = column(endingAt: last) {
            start = column.start
        }
        while start > 0, case .sign(let sign) = tokens[start - 1].kind, ["+", "-"].contains(sign) { start -= 1 }
        guard beginsOperand(start) else { return nil }
        return operand(start..<index + 1, scope)
    }

    /// The operand of a known sort that begins at `index`.
    private func operand(beginningAt index: Int, _ scope: Scope) -> Operand? {
        var last = index
        while tokens.indices.contains(last), case .sign(let sign) = tokens[last].kind, ["+", "-"].contains(sign) {
            last += 1
        }
        guard tokens.indices.contains(last) else { return nil }
        if let end = closing[last] {
            last = end
        } else if name(at: last) != nil, tokens.indices.contains(last + 1), let end = closing[last + 1] {
            last = end
        } else if let (_, end) = column(beginningAt: last) {
            last = end - 1
        }
        guard tokens.indices.contains(last) else { return nil }
        if tokens.indices.contains(last + 2), tokens[last + 1].isWord("collate") { last += 2 }
        return operand(index..<last + 1, scope)
    }

    private func operand(_ range: Range<Int>, _ scope: Scope) -> Operand? {
        guard let sort = sort(of: range, scope), sort != .other else { return nil }
        let columns: [ColumnName] = range.compactMap { index in self.column(endingAt: index) }
        let column = columns.last { self.sort(of: $0, scope) != nil }
        guard let written = column?.written ?? name(at: range.lowerBound) else { return nil }
        return Operand(sort: sort, tokens: range, written: written, name: column?.name)
    }

    private static let infixes: Set = ["in", "like", "glob", "ilike", "between", "is", "exists", "as", "over"]

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

    /// The text, number or moment at `index`, if it is a whole operand.
    /// - Parameter isLast: whether the comparison ends with it.
    private func other(at index: Int, _ scope: Scope, isLast: Bool = true) -> Other? {
        guard tokens.indices.contains(index) else { return nil }
        switch tokens[index].kind {
        case .open where tokens.indices.contains(index + 2) && closing[index] == index + 2:
            return !isLast || endsOperand(index + 3) ? other(at: index + 1, scope) : nil
        case .close where !isLast && opening[index] == index - 2: return other(at: index - 1, scope, isLast: false)
        case .number where !isLast || endsOperand(index + 1): return .number
        case .text(let text) where !isLast || endsOperand(index + 1): return .text(text)
        case .name(let name, let written) where tables.dialect == nil || tables.dialect == .sqlite:
            guard !isLast || endsOperand(index + 1), isNoColumn(name, scope) else { return nil }
            return .text(written)
        case .word(let word): return moment(word, at: index)
        default: return nil
        }
    }

    /// What a function for times answers with, if nothing but a time is added to it.
    private func moment(_ word: String, at index: Int) -> Other? {
        var next = index + 1
        let isCall = tokens.indices.contains(next) && tokens[next].kind == .open
        var other = Other.moment(word)
        if isCall {
            if word == "unixepoch" || word == "julianday"
                || word == "strftime" && tokens[(next + 1)...].first?.kind == .text("%s")
            {
                other = .seconds(word)
            } else if !Self.moments.contains(word) {
                return nil
            }
            next = (closing[next] ?? next) + 1
        } else if !word.contains("_") || !Self.moments.contains(word) {
            // A column of this name.
            return nil
        }
        if tokens.indices.contains(next + 1), case .sign(let sign) = tokens[next].kind, ["+", "-"].contains(sign) {
            if case .moment = other { return other }
            next += 2
        }
        return endsOperand(next) ? other : nil
    }
}
