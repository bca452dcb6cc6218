import DaybookBase

/// Everything that the index says about a segment, gathered record by record.
struct IndexSummary {
    struct CountKey: Hashable {
        var minute: Int64
        var tag: Int
        var kind: Int
        var level: Int64
    }

    private(set) var grams = GramTable()
    private(set) var counts: [CountKey: Int64] = [:]
    private(set) var facets: [FacetQuery.Field: [Int: Int64]] = [:]
    private(set) var sessions: [Int: SessionSummary] = [:]
    /// First and last time of each block that has records.
    private(set) var times: [Int64: ClosedRange<Int64>] = [:]
    private(set) var names = NameTable()
    private let buffer = FoldingBuffer()
    private var contexts = ContextFieldsCache()
    private var context = ContextTerms()
    private var fields = ContextFields("")

    /// What ``add(_:)`` reads, in its order.
    static let columns =
        "id, time, kind, level, tag, message, attributes, module, session, installation, trace_id, uid, "
        + ContextTable.context

    init() {}

    /// Adds the record of a statement's present row.
    mutating func add(_ row: SQLiteStatement) {
        let block = row.integer(0) % IndexSegment.size / IndexSegment.blockSize
        let blocks: UInt64 = 1 << UInt64(block)
        let time = row.integer(1)
        let known = times[block] ?? time...time
        times[block] = min(known.lowerBound, time)...max(known.upperBound, time)
        let level = row.integer(3)
        grams.add(Gram.term(.level, number: Int(level)), blocks: blocks)
        count(.level, names.number(of: String(level)))
        readContext(row)

        let kind = addTerm(.kind, .kind, row, 2, blocks)
        let tag = addTerm(.tag, .tag, row, 4, blocks)
        row.withText(4) { addTagHeads($0, blocks) }
        _ = addTerm(.module, .module, row, 7, blocks)
        let session = addTerm(.session, .session, row, 8, blocks)
        _ = addTerm(.installation, .installation, row, 9, blocks)
        if let version = fields.version {
            grams.add(Gram.term(.version, version), blocks: blocks)
            count(.version, names.number(of: version))
        }
        row.withText(12) { text in
            for term in context.terms(of: text) { grams.add(term, blocks: blocks) }
        }
        row.withText(10) { grams.add(Gram.term(.trace, $0, bits: Gram.sparseBits), blocks: blocks) }
        row.withText(11) { grams.add(Gram.uid($0), blocks: blocks) }
        for column in [Int32(4), 5, 6] {
            row.withText(column) { text in
                Gram.forEach(in: buffer.fold(text)) { grams.add($0, blocks: blocks) }
            }
        }
        let minute = time >= 0 ? time / 60_000_000_000 : (time + 1) / 60_000_000_000 - 1
        counts[CountKey(minute: minute, tag: tag ?? 0, kind: kind ?? 0, level: level), default: 0] += 1
        if let session { addSession(session, row, time: time, level: level) }
    }

    private mutating func addTerm(
        _ field: Gram.Field, _ facet: FacetQuery.Field, _ row: SQLiteStatement, _ column: Int32, _ blocks: UInt64
    ) -> Int? {
        var number: Int?
        row.withText(column) { text in
            grams.add(Gram.term(field, text), blocks: blocks)
            let name = names.number(of: text)
            count(facet, name)
            number = name
        }
        return number
    }

    /// `a.` and `a.b.` of the tag `a.b.c`: what patterns ask for.
    private mutating func addTagHeads(_ tag: UnsafeBufferPointer<UInt8>, _ blocks: UInt64) {
        for index in tag.indices where tag[index] == UInt8(ascii: ".") {
            grams.add(Gram.term(.tagHead, UnsafeBufferPointer(rebasing: tag[...index])), blocks: blocks)
        }
    }

    private mutating func addSession(_ session: Int, _ row: SQLiteStatement, time: Int64, level: Int64) {
        var summary = sessions[session] ?? SessionSummary(emptyFor: names.name(session))
        summary.add(time: time, level: level, installation: row.optionalText(9), fields: fields)
        sessions[session] = summary
    }

    private mutating func count(_ field: FacetQuery.Field, _ name: Int) {
        facets[field, default: [:]][name, default: 0] += 1
    }

    private mutating func readContext(_ row: SQLiteStatement) {
        row.withText(12) { fields = contexts.fields(of: $0) }
    }
}

/// What the index keeps of a context's columns. A context is mostly the same from one record to the next.
struct ContextTerms {
    private var text: [UInt8] = []
    private var terms: [UInt64] = []

    mutating func terms(of context: UnsafeBufferPointer<UInt8>) -> [UInt64] {
        guard context.count != text.count || !context.elementsEqual(text) else { return terms }
        text = Array(context)
        terms = []
        guard case .object(let members)? = try? JSONReader.value(of: text) else { return terms }
        for member in members.elements {
            let name = member.key
            terms.append(Gram.term(.contextColumn, name))
            switch member.value {
            case .string(let text): terms.append(Self.term(name, text: text))
            case .bool(let isTrue): terms.append(Self.term(name, text: isTrue ? "true" : "false"))
            case .int(let number): terms.append(Self.term(name, number: .int(number)))
            case .double(let number): terms.append(Self.term(name, number: .double(number)))
            case .null, .bytes, .array, .object: break
            }
        }
        return terms
    }

    static func term(_ name: String, text: String) -> UInt64 { Gram.term(.contextValue, "\(name)\u{0}\(text)") }

    /// Numbers that are equal have one term, as a `Double`.
    static func term(_ name: String, number: FilterNumber) -> UInt64 {
        let double =
            switch number {
            case .int(let number): Double(number)
            case .double(let number): number == 0 ? 0 : number
            }
        return Gram.term(.contextValue, "\(name)\u{1}\(double)")
    }
}

extension Gram {
    /// Of values that hardly repeat, uids and traces: few enough for the index to stay small, enough for most blocks to
    /// be left out.
    static var sparseBits: UInt64 { 16 }

    /// The term of a uid: `<stream>-<sequence>` shares it with its 1,023 neighbours in the stream, which mostly arrive
    /// together.
    static func uid(_ uid: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard uid.count > 49, uid.count < 68, uid[48] == UInt8(ascii: "-") else {
            return term(.uid, uid, bits: sparseBits)
        }
        var sequence: UInt64 = 0
        for digit in uid[49...] { sequence = sequence &* 10 &+ UInt64(digit &- 48) }
        let stream = term(.stream, UnsafeBufferPointer(rebasing: uid[..<48]))
        // Another 40-bit hash of the field: the stream's moved by the stretch of numbers.
        return stream & ~0xFF_FFFF_FFFF | (stream &+ (sequence >> 10) &* 0x9E37_79B9_7F4A_7C15) & 0xFF_FFFF_FFFF
    }
}

/// Texts that occur again and again, numbered.
struct NameTable {
    private var numbers: [UInt64: Int] = [:]
    private var names: [String] = []

    init() {}

    /// A text's number. Two texts with one 64-bit hash would be taken for one: of a million values that happens with a
    /// chance of one in thirty million.
    mutating func number(of text: UnsafeBufferPointer<UInt8>) -> Int {
        var hash = FNV1a()
        for byte in text { hash.add(byte) }
        if let number = numbers[hash.value] { return number }
        names.append(String(decoding: text, as: UTF8.self))
        numbers[hash.value] = names.count - 1
        return names.count - 1
    }

    mutating func number(of text: String) -> Int {
        var text = text
        return text.withUTF8 { number(of: $0) }
    }

    func name(_ number: Int) -> String { names[number] }
}
