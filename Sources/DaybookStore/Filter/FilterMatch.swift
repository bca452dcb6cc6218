import DaybookBase
import DaybookTools

/// A ``RecordFilter`` prepared for many rows, without its arrival condition. Belongs to one thread at a time.
package struct FilterMatch {
    /// Conditions on unmasked fields, tested first, and the others.
    private let plain: ExpressionMatch
    private let rest: ExpressionMatch
    private let predicate: RecordPredicate?
    private let buffer = FoldingBuffer()
    private let mask: RecordMask?
    private let readsMessage: Bool

    package init(_ filter: RecordFilter) {
        let conjuncts = filter.expression.conjuncts
        plain = ExpressionMatch(.all(conjuncts.filter { !$0.asksForMasked }))
        let others = FilterExpression.all(conjuncts.filter(\.asksForMasked))
        rest = ExpressionMatch(others)
        predicate = filter.predicate
        mask = filter.asksForMasked ? filter.sight.mask : nil
        readsMessage = !others.allTerms { if case .column = $0 { true } else { false } }
    }

    package func matches(_ row: RecordRow) -> Bool {
        let stored = SeenRow(row: row, shown: nil)
        guard plain.matches(stored, buffer), predicate?.concerns(row) ?? true else { return false }
        let seen = mask?.seen(row, hasMessage: readsMessage) ?? stored
        return rest.matches(seen, buffer) && predicate?.matches(seen.shown ?? row) ?? true
    }
}

/// A ``FilterExpression`` prepared for many rows. Belongs to one thread at a time.
private indirect enum ExpressionMatch {
    case all([ExpressionMatch])
    case any([ExpressionMatch])
    case not(ExpressionMatch)
    case text(SearchText)
    case field(FilterField, FilterTest)
    case numbers(FilterTerm)
    case column(ColumnMatch)

    init(_ expression: FilterExpression) {
        switch expression {
        case .all(let parts): self = .all(parts.map(ExpressionMatch.init))
        case .any(let parts): self = .any(parts.map(ExpressionMatch.init))
        case .not(let part): self = .not(ExpressionMatch(part))
        case .term(let term):
            switch term {
            case .text(let text): self = .text(SearchText(text))
            case .field(let field, let test): self = .field(field, test)
            case .column(let name, let test): self = .column(ColumnMatch(name, test))
            case .has(let name): self = .column(ColumnMatch(name, nil))
            case .level, .since, .until, .number: self = .numbers(term)
            }
        }
    }

    func matches(_ seen: SeenRow, _ buffer: FoldingBuffer) -> Bool {
        switch self {
        case .all(let parts): parts.allSatisfy { $0.matches(seen, buffer) }
        case .any(let parts): parts.contains { $0.matches(seen, buffer) }
        case .not(let part): !part.matches(seen, buffer)
        case .text(let search): search.occurs(in: seen, using: buffer)
        case .field(.message, let test): seen.message.map { FilterField.message.holds(test, $0) } ?? false
        case .field(let field, let test): field.value(of: seen.row).map { field.holds(test, $0) } ?? false
        case .numbers(let term): term.holds(seen.row)
        case .column(let column): column.holds(for: seen)
        }
    }
}

extension FilterTerm {
    /// For terms that compare a number of the row itself.
    fileprivate func holds(_ row: RecordRow) -> Bool {
        switch self {
        case .level(let levels): levels.contains(row.level)
        case .since(let time): row.time >= time
        case .until(let time): row.time < time
        case .number(let measure, let range): measure.value(of: row).map { range.contains(.int($0)) } ?? false
        case .text, .field, .column, .has: false
        }
    }
}

extension FilterMeasure {
    fileprivate func value(of row: RecordRow) -> Int64? {
        switch self {
        case .duration: row.duration
        case .line: row.line.map { Int64($0) }
        }
    }
}

extension FilterField {
    fileprivate func value(of row: RecordRow) -> String? {
        switch self {
        case .tag, .name: row.tag
        case .kind: row.kind.rawValue
        case .session: row.session
        case .installation: row.installation
        case .version: ContextFields(row.context).version
        case .device: ContextFields(row.context).device
        case .module: row.module
        case .file: row.file
        case .function: row.function
        case .trace: row.traceID
        case .uid: row.uid
        case .message: row.message
        }
    }

    /// Tests a text; a name also matches the tag's last term.
    func holds(_ test: FilterTest, _ text: String) -> Bool {
        if test.holds(.string(text)) { return true }
        guard self == .name, let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return test.holds(.string(String(text[text.index(after: dot)...])))
    }
}

extension FilterTest {
    func holds(_ found: Value) -> Bool {
        switch (self, found) {
        case (.text(let text), .string(let found)), (.value(let text), .string(let found)): Self.equal(text, found)
        case (.value(let text), .bool(let found)): text == (found ? "true" : "false")
        case (.value(let text), .int(let found)):
            FilterNumber(text).map { FilterNumber.order($0, .int(found)) == 0 } ?? false
        case (.value(let text), .double(let found)):
            FilterNumber(text).map { FilterNumber.order($0, .double(found)) == 0 } ?? false
        case (.pattern(let pattern), .string(let found)): pattern.matches(found)
        case (.range(let range), .int(let found)): range.contains(.int(found))
        case (.range(let range), .double(let found)): range.contains(.double(found))
        default: false
        }
    }

    /// By bytes, as stores do: `String` would equate different spellings of a character.
    private static func equal(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}

/// A test of a column, prepared for many JSON objects. Belongs to one thread at a time.
final class ColumnMatch {
    private let name: String
    /// `nil` for any value.
    private let test: FilterTest?
    private let needles: [[UInt8]]
    /// The last text parsed; consecutive contexts are usually equal.
    private var last: [UInt8] = []
    private var holdsInLast = false

    init(_ name: String, _ test: FilterTest?) {
        self.name = name
        self.test = test
        // Bytes that the JSON text must contain unless it has escapes. A number may be written in several ways.
        switch test {
        case .text(let text)?: needles = [Array(name.utf8), Array(text.utf8)]
        case .value(let text)? where FilterNumber(text) == nil: needles = [Array(name.utf8), Array(text.utf8)]
        default: needles = [Array(name.utf8)]
        }
    }

    /// Whether the record has the value, and shows it unmasked.
    func holds(for seen: SeenRow) -> Bool {
        holds(in: seen.row.attributes, shownAs: seen.shown?.attributes)
            || holds(in: seen.row.context, shownAs: seen.shown?.context)
    }

    private func holds(in text: String, shownAs shown: String?) -> Bool {
        guard let shown, shown != text else { return holds(in: text) }
        guard let stored = Attributes(json: text), let seen = Attributes(json: shown) else { return false }
        return zip(stored.elements, seen.elements).contains { stored, seen in
            stored.key.utf8.elementsEqual(name.utf8) && isMet(by: stored.value)
                && (test == nil || stored.value == seen.value)
        }
    }

    private func holds(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { holds(in: $0) }
    }

    /// Only texts with the needed bytes are parsed; most lack them.
    func holds(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count > 2, mayHold(in: text) else { return false }
        if text.count == last.count, last.withUnsafeBufferPointer({ text.contains($0) }) { return holdsInLast }
        last = Array(text)
        holdsInLast = false
        guard case .object(let members)? = try? JSONReader.value(of: last) else { return false }
        holdsInLast = members.elements.contains {
            $0.key.utf8.elementsEqual(name.utf8) && isMet(by: $0.value)
        }
        return holdsInLast
    }

    private func mayHold(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let isWhole = needles.allSatisfy { needle in needle.withUnsafeBufferPointer { text.contains($0) } }
        return isWhole || text.contains(UInt8(ascii: "\\"))
    }

    private func isMet(by value: Value) -> Bool { test.map { $0.holds(value) } ?? (value != .null) }
}

/// A term prepared for the text of its column. Belongs to one thread at a time.
enum TextMatch {
    case column(ColumnMatch)
    case field(FilterField, FilterTest)
    case nothing

    /// - Parameter expression: A term about a field or a column.
    init(_ expression: FilterExpression?) {
        switch expression {
        case .term(.column(let name, let test)): self = .column(ColumnMatch(name, test))
        case .term(.has(let name)): self = .column(ColumnMatch(name, nil))
        case .term(.field(let field, let test)): self = .field(field, test)
        default: self = .nothing
        }
    }

    func holds(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .column(let column): return column.holds(in: text)
        case .field(let field, let test):
            var found: String? = String(streamSafe: text)
            if field == .version { found = found.flatMap { ContextFields($0).version } }
            if field == .device { found = found.flatMap { ContextFields($0).device } }
            return found.map { field.holds(test, $0) } ?? false
        case .nothing: return false
        }
    }
}
