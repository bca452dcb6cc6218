import DaybookBase

/// Gathers the columns of a slice from its records, row by row.
struct ColumnGatherer {
    /// Where the cells are in a statement's row.
    struct Cells {
        var (time, level, duration): (Int32, Int32, Int32)
        /// In the order of ``ColumnName/Field/texts``.
        var texts: [Int32]
        var (attributes, context): (Int32, Int32)
    }

    /// `nil` for all.
    private let wanted: Set<ColumnName>?
    private var count = 0
    private var times: [Int64] = []
    private var level = ColumnBuilder(isJSON: false, key: nil)
    private var duration = ColumnBuilder(isJSON: false, key: nil)
    /// In the order of ``ColumnName/Field/texts``.
    private var texts: [ColumnBuilder]
    private var own: MemberColumns
    /// Over the different contexts instead of the records.
    private var common: MemberColumns
    private var contexts = TextTable()
    private var contextNumbers: [UInt16] = []

    /// Gathers all columns, to be stored.
    /// - Parameter key: For the keys of texts that are not stored.
    init(_ key: HashKey) {
        wanted = nil
        texts = Array(repeating: ColumnBuilder(isJSON: false, key: key), count: ColumnName.Field.texts.count)
        (own, common) = (MemberColumns(key), MemberColumns(key))
    }

    /// Gathers columns with all of their texts.
    init(only names: Set<ColumnName>) {
        wanted = names
        texts = Array(repeating: ColumnBuilder(isJSON: false, key: nil), count: ColumnName.Field.texts.count)
        own = MemberColumns(only: names.compactMap { if case .own(let name) = $0 { name.text } else { nil } })
        common = MemberColumns(only: names.compactMap { if case .common(let name) = $0 { name.text } else { nil } })
    }

    // MARK: From a statement

    /// What a statement selects for the wanted columns; NULL for others, which are not read.
    var selection: String {
        let fields = ColumnName.Field.allCases.map { isWanted(.field($0)) || $0 == .time ? $0.rawValue : "NULL" }
        return (fields + [own.isWanted ? "attributes" : "NULL", common.isWanted ? "context" : "NULL"])
            .joined(separator: ", ")
    }

    /// The cells of ``selection``.
    static let selected = Cells(
        time: 0, level: 1, duration: 2, texts: [3, 4, 5, 6, 7], attributes: 8, context: 9)

    private func isWanted(_ name: ColumnName) -> Bool { wanted?.contains(name) ?? true }

    /// Adds the record in a statement's current row.
    /// - Parameter text: Resolves the row's context reference.
    mutating func add(
        _ row: SQLiteStatement, _ cells: Cells, context text: (String) throws(StoreError) -> String
    ) throws(StoreError) {
        times.append(row.integer(cells.time))
        level.add(row.integer(cells.level), at: count)
        if let time = row.optionalInteger(cells.duration) { duration.add(time, at: count) }
        for place in texts.indices {
            row.withText(cells.texts[place]) { texts[place].add($0, at: count) }
        }
        row.withText(cells.attributes) { own.add($0, at: count) }
        let known = contexts.count
        row.withText(cells.context) { contextNumbers.append(UInt16(contexts.number(of: $0))) }
        if contexts.count > known {
            var context = try text(row.text(cells.context))
            context.withUTF8 { common.add($0, at: known) }
        }
        count += 1
    }

    // MARK: As read

    var slice: ColumnSlice {
        var slice = ColumnSlice(count: count, times: times)
        func add(_ name: ColumnName, _ column: ColumnBuilder, of count: Int) {
            guard !column.isEmpty, isWanted(name) else { return }
            slice.columns[name] = column.column(of: count)
        }
        add(.field(.level), level, of: count)
        add(.field(.duration), duration, of: count)
        for (field, column) in zip(ColumnName.Field.texts, texts) { add(.field(field), column, of: count) }
        for (name, column) in own.columns { add(.own(name), column, of: count) }
        for (name, column) in common.columns {
            add(.common(name), column, of: contexts.count)
            slice.columns[.common(name)] = slice.columns[.common(name)]?.spread(over: contextNumbers)
        }
        return slice
    }

    // MARK: As stored

    var stored: [StoredColumn] {
        var all: [StoredColumn] = []
        func add(_ name: ColumnName, _ column: ColumnBuilder, of count: Int) {
            if !column.isEmpty { all.append(column.stored(as: name, of: count)) }
        }
        var time = ColumnBuilder(isJSON: false, key: nil)
        for (place, value) in times.enumerated() { time.add(value, at: place) }
        add(.field(.time), time, of: count)
        add(.field(.level), level, of: count)
        add(.field(.duration), duration, of: count)
        for (field, column) in zip(ColumnName.Field.texts, texts) { add(.field(field), column, of: count) }
        for (name, column) in own.columns { add(.own(name), column, of: count) }
        for (name, column) in common.columns { add(.common(name), column, of: contexts.count) }
        var numbers: [UInt8] = []
        numbers.append(little: UInt64(count), bytes: 4)
        PackedIntegers.append(contextNumbers, to: &numbers)
        all.append(StoredColumn(name: ColumnName.contexts, codes: numbers, content: []))
        let bounds = times.min().flatMap { first in times.max().map { first...$0 } }
        let list = ColumnList(
            of: all.map(\.name), hasMore: own.hasMore || common.hasMore, times: bounds)
        return all + [list.stored]
    }
}

/// The columns of the members of JSON objects.
package struct MemberColumns {
    /// Different names in a slice; those seen after so many have no column.
    private static let mostNames = 1_000
    /// Bytes of a name; a longer one has no column.
    private static let mostNameBytes = 256

    private var names = TextTable()
    private var mostNames = mostNames
    private var builders: [ColumnBuilder] = []
    /// Whether a member has no column.
    private(set) var hasMore = false

    private let key: HashKey?

    init(_ key: HashKey) { self.key = key }

    /// Only the columns of these members, with all of their texts.
    package init(only wanted: [String]) {
        key = nil
        for var name in wanted { _ = name.withUTF8 { names.number(of: $0) } }
        builders = Array(repeating: ColumnBuilder(isJSON: true, key: nil), count: names.count)
        mostNames = names.count
    }

    var isWanted: Bool { mostNames > 0 }

    package var columns: [(name: ExactText, column: ColumnBuilder)] {
        builders.enumerated().map { (ExactText(String(streamSafe: names.text($0))), $1) }
    }

    /// Adds the members of an object. A text that is no JSON has none, as in SQL.
    package mutating func add(_ json: UnsafeBufferPointer<UInt8>, at place: Int) {
        guard json.count > 2 else { return }
        var scanner = JSONScanner(Array(json))
        do throws(JSONFault) {
            guard case .beginObject = try scanner.value() else { return }
            var isFirst = true
            while let name = try scanner.member(&isFirst) {
                _ = scanner.peek()
                let start = scanner.offset
                switch try scanner.value() {
                case .null: continue
                case .beginObject, .beginArray: try scanner.skipContainer()
                default: break
                }
                add(name, json, start..<scanner.offset, scanner.bytes, at: place)
            }
        } catch {
            return
        }
    }

    private mutating func add(
        _ name: JSONString, _ json: UnsafeBufferPointer<UInt8>, _ value: Range<Int>, _ bytes: [UInt8], at place: Int
    ) {
        let number: Int?
        if name.hasEscapes {
            var text = name.text(in: bytes)
            number = text.withUTF8 { self.number(of: $0) }
        } else {
            number = self.number(of: UnsafeBufferPointer(rebasing: json[name.range]))
        }
        guard let number else { return hasMore = true }
        if number == builders.count { builders.append(ColumnBuilder(isJSON: true, key: key)) }
        builders[number].add(UnsafeBufferPointer(rebasing: json[value]), at: place)
    }

    private mutating func number(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        name.count > Self.mostNameBytes ? nil : names.number(of: name, atMost: mostNames)
    }
}
