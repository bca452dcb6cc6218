import DaybookBase

/// Detects changed rows by a hash of their cells in order; any flipped bit changes it.
struct RowChecksum {
    private var hash = FNV1a()

    var value: Int64 { Int64(bitPattern: hash.value) }

    mutating func add(_ row: SQLiteStatement) {
        for column in 0..<row.columnCount {
            if row.isInteger(column) {
                add(type: 1)
                add(number: UInt64(bitPattern: row.integer(column)))
            } else if row.isNull(column) {
                add(type: 2)
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
        add(number: UInt64(text.count))
        for byte in text { hash.add(byte) }
    }

    private mutating func add(number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes in
            for byte in bytes { hash.add(byte) }
        }
    }

    private mutating func add(type: UInt8) { hash.add(type) }
}

enum ExtentContent {
    private static let parts = [
        ("segments", "seal, version, first_time, last_time, rows", "segment"), ("marks", "*", "gram"),
        ("blocks", "*", "block"),
        ("minutes", "*", "minute, tag, kind, level"), ("hours", "*", "hour, tag, kind, level"),
        ("facets", "*", "field, value"), ("sessions", "*", "session"),
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
