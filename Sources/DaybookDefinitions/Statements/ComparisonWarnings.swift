import DaybookBase
import DaybookTools

extension StatementReader {
    /// What is wrong, and what to write instead.
    typealias Fault = (what: String, hint: String)

    /// A comparison, normalized so that the operand with a column comes first.
    struct Comparison {
        var subject: SQLOperand
        var sign: String
        var other: SQLOperand
        /// As written in the statement.
        var written: String
        var otherWritten: String

        var isOrder: Bool { ["<", "<=", ">", ">="].contains(sign) }
    }

    private static let mirrored = ["<": ">", ">": "<", "<=": ">=", ">=": "<="]

    mutating func tell(at index: Int, _ message: String) {
        let token = tokens[min(index, tokens.count - 1)]
        findings.append(StatementWarning(line: token.line, column: token.column, message: message))
    }

    /// Reports a comparison that is never or always true for all possible kinds.
    mutating func compare(
        _ left: SQLOperand, _ place: Range<Int>, _ sign: String, _ right: SQLOperand, _ otherPlace: Range<Int>
    ) {
        guard left.parts.isEmpty, right.parts.isEmpty else {
            guard left.parts.count == right.parts.count else { return }
            let places = (parts(of: place, left.parts.count), parts(of: otherPlace, right.parts.count))
            for (index, (left, right)) in zip(left.parts, right.parts).enumerated() {
                compare(left, places.0[index], sign, right, places.1[index])
            }
            return
        }
        let isTurned = left.isConstant && !right.isConstant
        let (subject, other) = isTurned ? (right, left) : (left, right)
        let (own, its) = isTurned ? (otherPlace, place) : (place, otherPlace)
        let comparison = Comparison(
            subject: subject, sign: isTurned ? Self.mirrored[sign] ?? sign : sign, other: other,
            written: text(bare(own)), otherWritten: text(bare(its)))
        guard let (what, hint) = fault(comparison) else { return }
        tell(at: bare(its).lowerBound, "`\(comparison.written)` is \(what) (\(hint))")
    }

    /// The range without enclosing parentheses.
    func bare(_ range: Range<Int>) -> Range<Int> {
        var range = range
        while let first = range.first, let last = range.last, last > first + 1, closing[first] == last, !isQuery(first)
        {
            range = first + 1..<last
        }
        return range
    }

    private func parts(of range: Range<Int>, _ count: Int) -> [Range<Int>] {
        let range = bare(range)
        let parts = isQuery(range.lowerBound) ? [] : split(range) { $0.kind == .comma }
        return parts.count == count ? parts : Array(repeating: range, count: count)
    }

    private func fault(_ comparison: Comparison) -> Fault? {
        let (subject, other) = (comparison.subject, comparison.other)
        if other.isNull, comparison.sign != "<=>" {
            let isEqual = ["=", "=="].contains(comparison.sign)
            return ("compared with NULL, which no value equals", "write `IS \(isEqual ? "" : "NOT ")NULL`")
        }
        if other.isConstant, let fault = masked(subject) { return fault }
        guard let kinds = subject.kinds, let others = other.kinds, !kinds.isEmpty, !others.isEmpty else { return nil }
        let isPlain = (kinds + others).allSatisfy {
            switch $0 {
            case .literal, .text: true
            default: false
            }
        }
        if isPlain, subject.isConstant, other.isConstant { return nil }
        var first: Fault?
        for kind in kinds {
            for another in others {
                guard let found = fault(kind, another, comparison) else { return nil }
                first = first ?? found
            }
        }
        return first
    }

    /// The fault of comparing a masked operand.
    func masked(_ operand: SQLOperand) -> Fault? {
        guard let masking, let column = operand.shown.filter(masking.isPrivateAnywhere).min() else { return nil }
        return (
            "compared with a value, and `\(column)` is private: the statement reads a stand-in in its place",
            "count, group and join by it, or let the statement see private values"
        )
    }

    private func fault(_ kind: SQLKind, _ other: SQLKind, _ comparison: Comparison) -> Fault? {
        switch (kind.isNumber, other.isNumber) {
        case (true, true): units(kind, other, comparison)
        case (true, false): number(kind, other, comparison)
        case (false, true): text(kind, other, comparison)
        case (false, false): texts(kind, other, comparison)
        }
    }
}
