import DaybookStore

/// Rows in the binary format of `COPY`.
///
/// Source: PostgreSQL, *COPY*, "Binary Format".
struct CopyEncoder {
    static let statement = "COPY records(\(RecordColumns.names)) FROM STDIN (FORMAT binary)"

    /// Whether each JSON text is looked at first. It costs time, and is done after the server has refused something.
    private let isChecking: Bool
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    private var context = ""
    private var contextBytes: [UInt8] = []

    init(isChecking: Bool, rows: Int) {
        self.isChecking = isChecking
        bytes.reserveCapacity(rows * 400 + 32)
        bytes += Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    }

    mutating func add(_ row: RecordRow, id: Int64) {
        count += 1
        append(Int16(19))
        field(id)
        field(row.uid)
        field(row.time)
        field(row.kind.rawValue)
        field(Int16(clamping: row.level))
        field(row.tag)
        field(row.message)
        field(row.module)
        field(json: row.attributes)
        fieldOfContext(row.context)
        field(row.session)
        field(row.installation)
        field(row.traceID)
        field(row.spanID)
        field(row.parentSpanID)
        field(row.duration)
        field(row.file)
        field(row.function)
        field(row.line.map { Int32(clamping: $0) })
    }

    mutating func finish() { append(Int16(-1)) }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func field<Number: FixedWidthInteger>(_ number: Number?) {
        guard let number else {
            append(Int32(-1))
            return
        }
        append(Int32(Number.bitWidth / 8))
        append(number)
    }

    private mutating func field(_ text: String?) {
        guard var text else {
            append(Int32(-1))
            return
        }
        // No text of PostgreSQL can have a zero character.
        if text.utf8.contains(0) { text = String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }) }
        append(Int32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// `jsonb` begins with the version of its format, 1.
    private mutating func field(json text: String) {
        let start = bytes.count
        append(Int32(0))
        bytes.append(1)
        if isChecking {
            PostgreSQLJSON.appendChecked(text, to: &bytes)
        } else {
            PostgreSQLJSON.append(text, to: &bytes)
        }
        withUnsafeBytes(of: Int32(bytes.count - start - 4).bigEndian) { length in
            bytes.replaceSubrange(start..<start + 4, with: length)
        }
    }

    /// Contexts are mostly the same from one row to the next.
    private mutating func fieldOfContext(_ text: String) {
        if text == context, !contextBytes.isEmpty {
            bytes.append(contentsOf: contextBytes)
            return
        }
        let start = bytes.count
        field(json: text)
        context = text
        contextBytes = Array(bytes[start...])
    }
}
