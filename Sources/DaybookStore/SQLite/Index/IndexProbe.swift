import DaybookBase

/// Which blocks of an extent may have records that match a filter. Never misses one; the blocks' records are then
/// tested.
indirect enum IndexProbe {
    case anything
    case marks(ClosedRange<Int64>)
    case times(since: Int64, until: Int64)
    case all([IndexProbe])
    case any([IndexProbe])

    /// Most grams looked up per text; more hardly narrow further.
    private static let textGrams = 12

    init(_ expression: FilterExpression) {
        switch expression {
        case .all(let parts):
            let (since, until) = expression.times
            let times =
                since == nil && until == nil ? [] : [IndexProbe.times(since: since ?? .min, until: until ?? .max)]
            self = .all(times + parts.filter { !$0.isTime }.map { IndexProbe($0) })
        case .any(let parts):
            let parts = parts.map { IndexProbe($0) }
            self = parts.contains(where: \.isAnything) ? .anything : .any(parts)
        // A marked block may also have records without the excluded value.
        case .not: self = .anything
        case .term(let term): self = Self.term(term)
        }
    }

    var isAnything: Bool {
        switch self {
        case .anything: true
        case .all(let parts): parts.allSatisfy(\.isAnything)
        case .any(let parts): parts.contains(where: \.isAnything)
        case .marks, .times: false
        }
    }

    private static func term(_ term: FilterTerm) -> IndexProbe {
        switch term {
        case .text(let text):
            let search = SearchText(text)
            let plain = Self.text(search.plain)
            return search.quoted == search.plain ? plain : .any([plain, Self.text(search.quoted)])
        case .level(let levels):
            guard levels.lowerBound > 0 else { return .anything }
            return grams(
                Gram.term(.level, number: levels.lowerBound)...Gram.term(.level, number: levels.upperBound))
        case .since(let time): return .times(since: time, until: .max)
        case .until(let time): return .times(since: .min, until: time)
        case .number: return .anything
        case .field(let field, let test): return Self.field(field, test)
        case .has(let name): return column(name, nil)
        case .column(let name, let test): return column(name, test)
        }
    }

    private static func field(_ field: FilterField, _ test: FilterTest) -> IndexProbe {
        if field == .tag, case .pattern(let pattern) = test, let tag = pattern.tagPattern {
            return Self.pattern(tag.text)
        }
        guard case .text(let text) = test else { return .anything }
        switch field {
        case .tag: return gram(Gram.term(.tag, text))
        // A name is part of the tag.
        case .name, .message: return Self.text(SearchText(text).plain)
        case .kind: return gram(Gram.term(.kind, text))
        case .session: return gram(Gram.term(.session, text))
        case .installation: return gram(Gram.term(.installation, text))
        case .version: return gram(Gram.term(.version, text))
        case .module: return gram(Gram.term(.module, text))
        case .trace: return gram(Gram.term(.trace, text, bits: Gram.sparseBits))
        case .uid:
            var uid = text
            return gram(uid.withUTF8 { Gram.uid($0) })
        case .device, .file, .function: return .anything
        }
    }

    /// The index has attributes as text, and the context as columns and values.
    private static func column(_ name: String, _ test: FilterTest?) -> IndexProbe {
        var attributes = [text(SearchText(name).quoted)]
        var context = [gram(Gram.term(.contextColumn, name))]
        switch test {
        case .text(let value)?:
            attributes.append(text(SearchText(value).quoted))
            context = [gram(ContextTerms.term(name, text: value))]
        case .value(let value)?:
            context = [gram(ContextTerms.term(name, text: value))]
            let number = FilterNumber(value)
            if let number { context.append(gram(ContextTerms.term(name, number: number))) }
            // A number may be written differently, such as 4.2e1, unless it is whole with up to 15 digits.
            if number == nil || Int64(value).map({ "\($0)" == value && abs($0) < 1_000_000_000_000_000 }) == true {
                attributes.append(text(SearchText(value).quoted))
            }
        case .pattern, .range, nil: break
        }
        // JSON with escapes other than Daybook's does not contain the text as searched.
        let backslash = UInt8(ascii: "\\")
        let escaped = [text([backslash, UInt8(ascii: "u")]), text([backslash, UInt8(ascii: "/")])]
        return .any([.all(attributes)] + context + escaped)
    }

    private static func gram(_ gram: UInt64) -> IndexProbe { grams(gram...gram) }

    private static func grams(_ range: ClosedRange<UInt64>) -> IndexProbe {
        // Both ends have the same sign bit, so the signed order is the same.
        .marks(Int64(bitPattern: range.lowerBound)...Int64(bitPattern: range.upperBound))
    }

    private static func text(_ folded: [UInt8]) -> IndexProbe {
        let units = Gram.units(of: folded)
        guard units.count >= 4 else {
            // A single Latin letter is everywhere; the lookup would cost more than it saves.
            if units.isEmpty || units.count == 1 && units[0] < 0x80 { return .anything }
            var first: UInt64 = 0
            for unit in units { first = first << 16 | UInt64(unit) }
            let rest = UInt64(16 * (4 - units.count))
            return grams(first << rest...(first << rest | (1 << rest - 1)))
        }
        var places = Array(0...(units.count - 4))
        if places.count > textGrams {
            places = (0..<textGrams).map { $0 * (units.count - 4) / (textGrams - 1) }
        }
        return .all(
            places.map { place in
                gram(units[place..<place + 4].reduce(0) { $0 << 16 | UInt64($1) })
            })
    }

    private static func pattern(_ tag: String) -> IndexProbe {
        let isDeep = tag.hasSuffix("**")
        let head = String(tag.dropLast(isDeep ? 2 : 1))
        if head.isEmpty { return .anything }
        let below = gram(Gram.term(.tagHead, head))
        return isDeep ? .any([gram(Gram.term(.tag, String(head.dropLast()))), below]) : below
    }

    /// The blocks of an extent, one bit each.
    func blocks(of extent: Int64, _ connection: SQLiteConnection) throws(StoreError) -> UInt64 {
        switch self {
        case .anything: return .max
        case .marks(let range): return try Self.blocks(extent, range, connection)
        case .times(let since, let until):
            let statement = try connection.statement(
                "SELECT block FROM idx.blocks WHERE segment = ? AND last_time >= ? AND first_time < ?",
                [.integer(extent), .integer(since), .integer(until)])
            defer { statement.reset() }
            var blocks: UInt64 = 0
            while try statement.step() {
                // An impossible block number makes the row unusable: select all blocks.
                blocks |= (0..<64).contains(statement.integer(0)) ? 1 << UInt64(statement.integer(0)) : .max
            }
            return blocks
        case .all(let parts):
            var blocks = UInt64.max
            for part in parts where blocks != 0 { blocks &= try part.blocks(of: extent, connection) }
            return blocks
        case .any(let parts):
            var blocks: UInt64 = 0
            for part in parts where blocks != .max { blocks |= try part.blocks(of: extent, connection) }
            return blocks
        }
    }

    private static func blocks(
        _ extent: Int64, _ grams: ClosedRange<Int64>, _ connection: SQLiteConnection
    ) throws(StoreError) -> UInt64 {
        let statement = try connection.statement(
            "SELECT blocks FROM idx.marks WHERE segment = ? AND gram BETWEEN ? AND ?",
            [.integer(extent), .integer(grams.lowerBound), .integer(grams.upperBound)])
        defer { statement.reset() }
        var blocks: UInt64 = 0
        while try statement.step() { blocks |= UInt64(bitPattern: statement.integer(0)) }
        return blocks
    }
}
