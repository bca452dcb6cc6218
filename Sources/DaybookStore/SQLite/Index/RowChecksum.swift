/// Detects changed rows by a hash of their cells in order; any flipped bit changes it.
struct RowChecksum {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    var value: Int64 { Int64(bitPattern: hash) }

    mutating func add(_ row: SQLiteStatement) {
        for column in 0..<row.columnCount {
            if row.isInteger(column) {
                add(type: 1)
                add(number: UInt64(bitPattern: row.integer(column)))
            } else if row.isNull(column) {
                add(type: 2)
            } else if row.isBlob(column) {
                add(type: 4)
                row.withBlob(column) { add(bytes: $0.bindMemory(to: UInt8.self)) }
            } else {
                row.withText(column) { add($0) }
            }
        }
    }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add($0) }
    }

    private mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
        add(type: 3)
        add(bytes: text)
    }

    private mutating func add(bytes: UnsafeBufferPointer<UInt8>) {
        add(number: UInt64(bytes.count))
        let raw = UnsafeRawBufferPointer(bytes)
        var place = 0
        while place + 8 <= raw.count {
            add(number: UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
            place += 8
        }
        guard place < raw.count else { return }
        var rest: UInt64 = 0
        for (index, byte) in raw[place...].enumerated() { rest |= UInt64(byte) << UInt64(8 * index) }
        add(number: rest)
    }

    /// Both steps are bijections, so two rows that differ in one word never have the same hash.
    private mutating func add(number: UInt64) {
        hash = (hash ^ number) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
    }

    private mutating func add(type: UInt64) { add(number: type) }
}

enum ExtentContent {
    private static let parts = [
        ("segments", "seal, version, first_time, last_time, rows", "segment"), ("marks", "*", "gram"),
        ("blocks", "*", "block"),
        ("minutes", "*", "minute, tag, kind, level"), ("hours", "*", "hour, tag, kind, level"),
        ("facets", "*", "field, value"), ("sessions", "*", "session"), ("columns", "*", "name"),
    ]

    static func checksum(of extent: Int64, _ index: SQLiteConnection) throws(StoreError) -> Int64 {
        var checksum = RowChecksum()
        for (table, columns, order) in parts {
            let statement = try index.statement(
                "SELECT \(columns) FROM \(table) WHERE segment = ? ORDER BY \(order)", [.integer(extent)])
            defer { statement.reset() }
            while try statement.step() { checksum.add(statement) }
        }
        return checksum.value
    }
}
