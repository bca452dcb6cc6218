import DaybookBase

extension StatementReader {
    /// Parses an expression at `index` up to at most `end`, and advances `index`.
    /// - Parameter power: the least binding power of operators to include.
    mutating func expression(
        _ index: inout Int, until end: Int, power: Int = 0, _ scope: Scope
    ) -> SQLOperand {
        nesting += 1
        defer { nesting -= 1 }
        let start = index
        guard nesting < 80, index < end else {
            if index < end { index = min(end, (closing[index] ?? index) + 1) }
            return .unknown
        }
        var left = prefixed(&index, until: end, scope)
        while index < end, let (operation, found) = binary(at: index), found >= power {
            let last = index
            left = apply(operation, found, to: left, start..<index, &index, until: end, scope)
            guard index > last else { break }
        }
        return left
    }

    private enum Operation {
        case compare(String)
        case arithmetic(String)
        case join
        case member(String)
        case cast
        case word(String)
        case other
    }

    private static let words = [
        "or": 1, "and": 2, "is": 4, "in": 4, "like": 4, "ilike": 4, "glob": 4, "between": 4, "not": 4, "match": 4,
        "regexp": 4, "isnull": 4, "notnull": 4, "collate": 10,
    ]

    private func binary(at index: Int) -> (Operation, power: Int)? {
        switch tokens[index].kind {
        case .sign(let sign):
            switch sign {
            case "=", "==", "!=", "<>", "<=>": (.compare(sign), 4)
            case "<", "<=", ">", ">=": (.compare(sign), 5)
            case "&", "|", "<<", ">>": (.other, 6)
            case "+", "-": (.arithmetic(sign), 7)
            case "*", "/", "%": (.arithmetic(sign), 8)
            case "||": (.join, 9)
            case "->", "->>": (.member(sign), 9)
            case "::": (.cast, 11)
            default: (.other, 9)
            }
        case .word(let word): Self.words[word].map { (.word(word), $0) }
        default: nil
        }
    }

    private mutating func apply(
        _ operation: Operation, _ power: Int, to left: SQLOperand, _ place: Range<Int>, _ index: inout Int,
        until end: Int, _ scope: Scope
    ) -> SQLOperand {
        if case .word(let word) = operation, !["and", "or"].contains(word) {
            return test(word, left, place, &index, until: end, scope)
        }
        index += 1
        if case .cast = operation { return SQLFunctions.cast(left, to: typeName(&index, until: end), tables.dialect) }
        let start = index
        let right = expression(&index, until: end, power: power + 1, scope)
        switch operation {
        case .compare(let sign):
            compare(left, place, sign, right, start..<index)
            return truth
        case .arithmetic(let sign): return SQLFunctions.arithmetic(left, sign, right, tables.dialect)
        case .join:
            var joined = SQLOperand(kinds: [.anyText], isConstant: left.isConstant && right.isConstant)
            joined.shown = left.shown.union(right.shown)
            if left.isNumber, case .text("")? = right.only { joined.kinds = [.digits] }
            return joined
        case .member(let sign): return member(of: left, right, place.lowerBound..<index, start, isJSON: sign == "->")
        case .word: return truth
        case .cast, .other: return .unknown
        }
    }

    private var truth: SQLOperand { tables.isSQLite ? SQLOperand(kinds: [.number(nil)]) : .unknown }

    private mutating func test(
        _ word: String, _ left: SQLOperand, _ place: Range<Int>, _ index: inout Int, until end: Int, _ scope: Scope
    ) -> SQLOperand {
        var word = word
        index += 1
        let isNegated = word == "not"
        if isNegated {
            guard index < end, case .word(let next) = tokens[index].kind else { return .unknown }
            word = next
            index += 1
        }
        func skip(_ words: String...) -> Bool {
            guard index < end, case .word(let found) = tokens[index].kind, words.contains(found) else { return false }
            index += 1
            return true
        }
        switch word {
        case "isnull", "notnull", "null": break
        case "collate":
            guard index < end else { break }
            var operand = left
            operand.isCaseless = name(at: index) == "nocase"
            index += 1
            return operand
        case "is":
            let isNot = skip("not")
            let isDistinct = skip("distinct")
            if isDistinct { _ = skip("from") }
            let start = index
            let right = expression(&index, until: end, power: 5, scope)
            if !right.isNull { compare(left, place, isNot == isDistinct ? "=" : "!=", right, start..<index) }
        case "between":
            _ = skip("symmetric", "asymmetric")
            var start = index
            let lower = expression(&index, until: end, power: 5, scope)
            compare(left, place, ">=", lower, start..<index)
            guard skip("and") else { break }
            start = index
            let upper = expression(&index, until: end, power: 5, scope)
            compare(left, place, "<=", upper, start..<index)
        case "in": list(left, place, &index, until: end, scope)
        case "like", "ilike", "glob":
            let start = index
            let pattern = expression(&index, until: end, power: 5, scope)
            match(left, place, word, pattern, start..<index)
            if skip("escape") { _ = expression(&index, until: end, power: 5, scope) }
        default: _ = expression(&index, until: end, power: 5, scope)
        }
        return truth
    }

    private mutating func list(
        _ left: SQLOperand, _ place: Range<Int>, _ index: inout Int, until end: Int, _ scope: Scope
    ) {
        guard index < end, tokens[index].kind == .open, let last = closing[index] else { return }
        let inside = index + 1..<max(index + 1, min(last, end))
        if isQuery(index) {
            let whole = index..<min(last + 1, end)
            let found = subquery(inside, in: scope).ordered ?? []
            var right = found.count == 1 ? found[0] : .unknown
            right.parts = found.count > 1 ? found : []
            // Skip NULLs, which are not a mistake of this comparison alone.
            if !right.isNull { compare(left, place, "=", right, whole) }
        } else {
            for part in split(inside, { $0.kind == .comma }) where !part.isEmpty {
                var next = part.lowerBound
                let item = expression(&next, until: part.upperBound, scope)
                if next == part.upperBound { compare(left, place, "=", item, part) }
            }
        }
        index = min(end, last + 1)
    }

    // MARK: Operands

    private mutating func prefixed(_ index: inout Int, until end: Int, _ scope: Scope) -> SQLOperand {
        switch tokens[index].kind {
        case .sign(let sign) where ["-", "+", "~"].contains(sign):
            index += 1
            let operand = expression(&index, until: end, power: 10, scope)
            return operand.mapped { kind in
                switch kind {
                case .literal(let number): .literal(sign == "-" ? -number : number)
                case _ where sign == "+": kind
                default: kind.isNumber || tables.isSQLite ? .number(nil) : nil
                }
            }
        case .word("not"):
            index += 1
            _ = expression(&index, until: end, power: 3, scope)
            return truth
        case .open: return parenthesis(&index, until: end, scope)
        case .text(let text):
            index += 1
            return SQLOperand(kinds: [.text(text)], isConstant: true)
        case .number(let text):
            index += 1
            return SQLOperand(kinds: Double(text).map { [.literal($0)] }, isConstant: true)
        case .word, .name: return named(&index, until: end, scope)
        case .close, .comma: return .unknown
        case .sign, .dot:
            index += 1
            return .unknown
        }
    }

    private mutating func parenthesis(_ index: inout Int, until end: Int, _ scope: Scope) -> SQLOperand {
        let open = index
        let close = min(end, closing[open] ?? end)
        index = min(end, close + 1)
        let inside = open + 1..<max(open + 1, close)
        if isQuery(open) {
            let found = subquery(inside, in: scope).ordered ?? []
            return found.count == 1 ? found[0] : .unknown
        }
        let operands = arguments(inside, scope)
        if operands.count == 1 { return operands[0] }
        var row = SQLOperand.unknown
        row.parts = operands
        return row
    }

    mutating func arguments(_ range: Range<Int>, _ scope: Scope) -> [SQLOperand] {
        guard !range.isEmpty else { return [] }
        return split(range) { $0.kind == .comma }.map { part in
            var index = part.lowerBound
            if index < part.upperBound, tokens[index].isWord("distinct", "all") { index += 1 }
            let operand = expression(&index, until: part.upperBound, scope)
            guard index < part.upperBound else { return operand }
            // An unparsed part, such as `x ORDER BY y`, may still contain comparisons.
            read(index..<part.upperBound, scope)
            return .unknown
        }
    }

    private mutating func named(_ index: inout Int, until end: Int, _ scope: Scope) -> SQLOperand {
        let start = index
        let next = start + 1 < end ? tokens[start + 1].kind : nil
        if case .word(let word) = tokens[start].kind {
            switch word {
            case "case": return cases(&index, until: end, scope)
            case "null":
                index += 1
                return .null
            case "interval" where next != .open:
                index += 1
                _ = expression(&index, until: end, power: 10, scope)
                // ClickHouse's unit.
                if index < end, name(at: index) != nil, Self.words[name(at: index) ?? ""] == nil { index += 1 }
                return .unknown
            case "cast", "try_cast":
                if next == .open { return cast(&index, until: end, scope) }
            default: break
            }
            if case .text? = next {
                // A typed literal.
                index += 2
                let isTime = word.hasPrefix("time") || word == "date"
                return isTime ? SQLOperand(kinds: [.moment], isConstant: true) : .unknown
            }
        }
        if next == .open, let name = name(at: start) {
            index += 1
            return call(name, &index, until: end, scope)
        }
        guard let (column, behind) = column(beginningAt: start) else {
            index += 1
            return .unknown
        }
        index = min(end, behind)
        if next == .open || index < end && tokens[index].kind == .dot { return .unknown }
        let operand = operand(of: column, scope)
        if operand == .unknown, column.table == nil {
            if case .word(let word) = tokens[start].kind { return SQLFunctions.constant(word, tables.dialect) }
            if tables.isSQLite, isNoColumn(column.name, scope) {
                return SQLOperand(kinds: [.text(column.written)], isConstant: true)
            }
        }
        return operand
    }

    private mutating func cases(_ index: inout Int, until end: Int, _ scope: Scope) -> SQLOperand {
        index += 1
        var subject: (operand: SQLOperand, place: Range<Int>)?
        if index < end, !tokens[index].isWord("when") {
            let start = index
            subject = (expression(&index, until: end, scope), start..<index)
        }
        var answers: [SQLOperand] = []
        while index < end, tokens[index].isWord("when") {
            index += 1
            let start = index
            let value = expression(&index, until: end, scope)
            if let subject { compare(subject.operand, subject.place, "=", value, start..<index) }
            guard index < end, tokens[index].isWord("then") else { return .unknown }
            index += 1
            answers.append(expression(&index, until: end, scope))
        }
        if index < end, tokens[index].isWord("else") {
            index += 1
            answers.append(expression(&index, until: end, scope))
        }
        guard index < end, tokens[index].isWord("end") else { return .unknown }
        index += 1
        var answer = SQLOperand.any(of: answers)
        answer.affinity = .none
        // The branch depends on the record.
        answer.isConstant = false
        return answer
    }

    private mutating func cast(_ index: inout Int, until end: Int, _ scope: Scope) -> SQLOperand {
        let close = min(end, closing[index + 1] ?? end)
        index += 2
        let operand = expression(&index, until: close, scope)
        guard index < close, tokens[index].isWord("as") else {
            index = min(end, close + 1)
            return .unknown
        }
        index += 1
        let type = typeName(&index, until: close)
        index = min(end, close + 1)
        return SQLFunctions.cast(operand, to: type, tables.dialect)
    }

    private func typeName(_ index: inout Int, until end: Int) -> String {
        guard index < end, let name = name(at: index) else { return "" }
        index += 1
        if index < end, name == "double", tokens[index].isWord("precision") { index += 1 }
        if index < end, tokens[index].kind == .open { index = min(end, (closing[index] ?? index) + 1) }
        return name
    }

    /// Parses a function's arguments, and clauses after them.
    private mutating func call(
        _ name: String, _ index: inout Int, until end: Int, _ scope: Scope
    ) -> SQLOperand {
        let open = index
        let close = min(end, closing[open] ?? end)
        let inside = open + 1..<max(open + 1, close)
        index = min(end, close + 1)
        var answer: SQLOperand
        if isQuery(open) {
            _ = subquery(inside, in: scope)
            answer = name == "exists" ? truth : .unknown
        } else {
            answer = function(name, inside, open - 1..<index, scope)
        }
        if index < end, tokens[index].isWord("filter", "within", "over") {
            // A named window.
            if index + 1 < end, tokens[index].isWord("over"), tokens[index + 1].kind != .open { index += 2 }
            while index + 1 < end, tokens[index].isWord("filter", "within", "over", "group") {
                index += 1
                guard index < end, tokens[index].kind == .open, let last = closing[index] else { continue }
                read(index + 1..<max(index + 1, min(last, end)), scope)
                index = min(end, last + 1)
            }
        }
        answer.affinity = .none
        return answer
    }
}
