import DaybookBase

/// The index's data of an extent, gathered record by record.
///
/// Shared values, such as a session or a tag, are compared with the previous record's first, and add their terms once
/// per block.
struct IndexSummary {
    struct CountKey: Hashable {
        var minute: Int64
        var tag: Int
        var kind: Int
        var level: Int64
    }

    let grams = GramTable()
    private(set) var counts: [CountKey: Int64] = [:]
    private(set) var sessions: [SessionSummary] = []
    /// The time range of each block with records.
    private(set) var times: [ClosedRange<Int64>?] = Array(
        repeating: nil, count: Int(IndexExtent.size / IndexExtent.blockSize))
    private(set) var kinds = ColumnValues(.kind, .kind)
    private(set) var tags = ColumnValues(.tag, .tag)
    private var levels = ColumnValues(.level, .level)
    private var modules = ColumnValues(.module, .module)
    private var visits = ColumnValues(.session, .session)
    private var installations = ColumnValues(.installation, .installation)
    private var versions = ColumnValues(.version, .version)
    private let buffer = FoldingBuffer()
    private var context = IndexedContext()
    private var streams = StreamTerm()
    private var level = (number: Int64.min, text: "")

    static let columns =
        "id, time, kind, level, tag, message, attributes, module, session, installation, trace_id, uid, context"

    init() {}

    var facets: [ColumnValues] { [kinds, tags, levels, modules, visits, installations, versions] }

    /// Adds the record in a statement's current row.
    /// - Parameters:
    ///   - arrivals: Determines the record's time in its session.
    ///   - text: Resolves the row's context reference.
    mutating func add(
        _ row: SQLiteStatement, _ arrivals: inout ArrivalReader, context text: (String) throws(StoreError) -> String
    ) throws(StoreError) {
        let block = Int(row.integer(0) % IndexExtent.size / IndexExtent.blockSize)
        let blocks: UInt64 = 1 << UInt64(block)
        let time = row.integer(1)
        let known = times[block] ?? time...time
        times[block] = min(known.lowerBound, time)...max(known.upperBound, time)
        addLevel(row.integer(3), blocks)
        let kind = kinds.add(row, 2, blocks, to: grams)
        let tag = addTag(row, blocks)
        _ = modules.add(row, 7, blocks, to: grams)
        let visit = visits.add(row, 8, blocks, to: grams)
        let installation = installations.add(row, 9, blocks, to: grams)
        if try context.read(row, 12, text) || !context.isIn(blocks) { context.add(blocks, to: grams) }
        if let version = context.fields.version { _ = versions.add(version, blocks, to: grams) }
        row.withText(10) { grams.add(Gram.term(.trace, $0, bits: Gram.sparseBits), blocks: blocks) }
        row.withText(11) { grams.add(streams.uid($0), blocks: blocks) }
        for column in [Int32(5), 6] { row.withText(column) { addText($0, blocks) } }
        let minute = time >= 0 ? time / 60_000_000_000 : (time + 1) / 60_000_000_000 - 1
        if let tag, let kind {
            counts[CountKey(minute: minute, tag: tag, kind: kind, level: level.number), default: 0] += 1
        }
        guard let visit else { return }
        if visit == sessions.count { sessions.append(SessionSummary(emptyFor: visits.names[visit])) }
        sessions[visit].add(
            time: try arrivals.countedTime(time, of: row.integer(0)), level: level.number,
            installation: installation.map { installations.names[$0] },
            fields: context.fields)
    }

    private mutating func addLevel(_ number: Int64, _ blocks: UInt64) {
        if number != level.number { level = (number, String(number)) }
        guard levels.count(level.text, blocks).isNew else { return }
        grams.add(Gram.term(.level, number: Int(number)), blocks: blocks)
    }

    private mutating func addTag(_ row: SQLiteStatement, _ blocks: UInt64) -> Int? {
        var number: Int?
        row.withText(4) { text in
            let tag = tags.count(text, blocks)
            number = tag.number
            guard tag.isNew else { return }
            grams.add(Gram.term(.tag, text), blocks: blocks)
            // `a.` and `a.b.` of the tag `a.b.c`, for tag patterns.
            for index in text.indices where text[index] == UInt8(ascii: ".") {
                grams.add(Gram.term(.tagHead, UnsafeBufferPointer(rebasing: text[...index])), blocks: blocks)
            }
            addText(text, blocks)
        }
        return number
    }

    private func addText(_ text: UnsafeBufferPointer<UInt8>, _ blocks: UInt64) {
        Gram.forEach(in: buffer.fold(text)) { grams.add($0, blocks: blocks) }
    }
}

/// The values of a column in an extent, with their number, count and last block.
struct ColumnValues {
    let field: FacetQuery.Field
    private let term: Gram.Field
    private(set) var names: [String] = []
    private(set) var counts: [Int64] = []
    private var blocks: [UInt64] = []
    private var numbers: [UInt64: Int] = [:]
    private var last = (text: [UInt8](), number: -1)

    init(_ field: FacetQuery.Field, _ term: Gram.Field) {
        self.field = field
        self.term = term
    }

    /// Counts a record's value and adds its term to the block.
    /// - Returns: The value's number; `nil` if absent.
    mutating func add(
        _ row: SQLiteStatement, _ column: Int32, _ blocks: UInt64, to grams: GramTable
    ) -> Int? {
        var number: Int?
        row.withText(column) { number = add($0, blocks, to: grams) }
        return number
    }

    mutating func add(_ text: String, _ blocks: UInt64, to grams: GramTable) -> Int {
        var text = text
        return text.withUTF8 { add($0, blocks, to: grams) }
    }

    private mutating func add(
        _ text: UnsafeBufferPointer<UInt8>, _ blocks: UInt64, to grams: GramTable
    ) -> Int {
        let value = count(text, blocks)
        if value.isNew { grams.add(Gram.term(term, text), blocks: blocks) }
        return value.number
    }

    mutating func count(_ text: String, _ blocks: UInt64) -> (number: Int, isNew: Bool) {
        var text = text
        return text.withUTF8 { count($0, blocks) }
    }

    /// Counts a value.
    /// - Returns: Its number, and whether it is new in the block.
    mutating func count(_ text: UnsafeBufferPointer<UInt8>, _ blocks: UInt64) -> (number: Int, isNew: Bool) {
        let number = number(of: text)
        counts[number] += 1
        guard self.blocks[number] != blocks else { return (number, false) }
        self.blocks[number] = blocks
        return (number, true)
    }

    /// A collision of 64-bit hashes would merge two values: among a million, with a chance of one in thirty million.
    private mutating func number(of text: UnsafeBufferPointer<UInt8>) -> Int {
        if last.number >= 0, last.text.isEqual(to: text) { return last.number }
        var hash = FNV1a()
        for byte in text { hash.add(byte) }
        let number = numbers[hash.value] ?? names.count
        if number == names.count {
            numbers[hash.value] = number
            names.append(String(streamSafe: text))
            counts.append(0)
            blocks.append(0)
        }
        last = (Array(text), number)
        return number
    }
}

/// The last context added; consecutive ones are usually equal.
private struct IndexedContext {
    private(set) var fields = ContextFields("")
    /// The row's column: the context, or a reference to it.
    private var stored: [UInt8]?
    private var terms: [UInt64] = []
    private var blocks: UInt64 = 0

    /// Reads a row's context.
    /// - Returns: Whether it changed.
    mutating func read(
        _ row: SQLiteStatement, _ column: Int32, _ text: (String) throws(StoreError) -> String
    ) throws(StoreError) -> Bool {
        var isKnown = false
        row.withText(column) { isKnown = stored?.isEqual(to: $0) == true }
        if isKnown { return false }
        let new = row.text(column)
        let context = try text(new)
        stored = Array(new.utf8)
        fields = ContextFields(context)
        terms = ContextTerms.terms(of: context)
        return true
    }

    /// Whether its terms were added to the block.
    func isIn(_ blocks: UInt64) -> Bool { self.blocks == blocks }

    mutating func add(_ blocks: UInt64, to grams: GramTable) {
        self.blocks = blocks
        for term in terms { grams.add(term, blocks: blocks) }
    }
}

enum ContextTerms {
    static func terms(of context: String) -> [UInt64] {
        guard let members = Attributes(json: context) else { return [] }
        var terms: [UInt64] = []
        for member in members.elements {
            let name = member.key
            terms.append(Gram.term(.contextColumn, name))
            switch member.value {
            case .string(let text): terms.append(term(name, text: text))
            case .bool(let isTrue): terms.append(term(name, text: isTrue ? "true" : "false"))
            case .int(let number): terms.append(term(name, number: .int(number)))
            case .double(let number): terms.append(term(name, number: .double(number)))
            case .null, .bytes, .array, .object: break
            }
        }
        return terms
    }

    static func term(_ name: String, text: String) -> UInt64 { Gram.term(.contextValue, "\(name)\u{0}\(text)") }

    /// Equal numbers get one term, as a `Double`.
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
    /// For values that rarely repeat, uids and traces: few bits keep the index small, and still exclude most blocks.
    static var sparseBits: UInt64 { 16 }

    static func uid(_ uid: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var streams = StreamTerm()
        return streams.uid(uid)
    }
}

/// The terms of uids. `<stream>-<sequence>` shares its term with up to 1,023 neighbours, which usually arrive together.
struct StreamTerm {
    private static let length = 48

    private var last = (text: [UInt8](), term: UInt64(0))

    mutating func uid(_ uid: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard uid.count > Self.length + 1, uid.count < 68, uid[Self.length] == UInt8(ascii: "-") else {
            return Gram.term(.uid, uid, bits: Gram.sparseBits)
        }
        var sequence: UInt64 = 0
        for digit in uid[(Self.length + 1)...] { sequence = sequence &* 10 &+ UInt64(digit &- 48) }
        let name = UnsafeBufferPointer(rebasing: uid[..<Self.length])
        if !last.text.isEqual(to: name) { last = (Array(name), Gram.term(.stream, name)) }
        let stream = last.term
        // Offsets the stream's 40-bit hash by the group of 1,024 numbers.
        return stream & ~0xFF_FFFF_FFFF | (stream &+ (sequence >> 10) &* 0x9E37_79B9_7F4A_7C15) & 0xFF_FFFF_FFFF
    }
}

extension [UInt8] {
    fileprivate func isEqual(to text: UnsafeBufferPointer<UInt8>) -> Bool {
        count == text.count && withUnsafeBufferPointer { $0.contains(text) }
    }
}
