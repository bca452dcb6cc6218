import DaybookBase
import DaybookStore

/// Rows in the binary format of `COPY`.
///
/// Source: PostgreSQL, *COPY*, "Binary Format".
struct CopyEncoder {
    static let statement = "COPY stored_records(\(RecordColumn.names), context_id) FROM STDIN (FORMAT binary)"

    private static let columns = Int16(RecordColumn.allCases.count + 1)

    /// Whether to validate each JSON text. It takes time, so it is done only after a refusal.
    private let isChecking: Bool
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    init(isChecking: Bool, rows: Int) {
        self.isChecking = isChecking
        bytes.reserveCapacity(rows * 400 + 32)
        bytes += Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    }

    /// - Parameter context: the id of a shared context; `nil` if it stays in the row.
    mutating func add(_ row: RecordRow, id: Int64, context: [UInt8]?) {
        count += 1
        append(Self.columns)
        field(id)
        field(row.uid)
        field(row.time)
        field(row.kind.rawValue)
        field(Int16(clamping: row.level))
        field(row.tag)
        field(row.message)
        field(row.module)
        field(json: row.attributes)
        if context == nil { field(json: row.context) } else { field(Int64?.none) }
        field(row.session)
        field(row.installation)
        field(row.traceID)
        field(row.spanID)
        field(row.parentSpanID)
        field(row.duration)
        field(row.file)
        field(row.function)
        field(row.line.map { Int32(clamping: $0) })
        append(Int32(context?.count ?? -1))
        bytes += context ?? []
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
        // PostgreSQL text cannot contain NUL.
        if text.utf8.contains(0) { text = String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }) }
        append(Int32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// `jsonb` begins with its format version, 1.
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
}

enum PostgreSQLJSON {
    /// Appends a JSON object as written by Daybook. `jsonb` cannot contain NUL, which becomes U+FFFD.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { units in
            guard units.contains(0x5C) else {
                bytes.append(contentsOf: units)
                return
            }
            var index = 0
            while index < units.count {
                guard units[index] == 0x5C, index + 1 < units.count else {
                    bytes.append(units[index])
                    index += 1
                    continue
                }
                let isZero = units[index...].starts(with: #"\u0000"#.utf8)
                bytes.append(contentsOf: isZero ? Array(#"\ufffd"#.utf8)[...] : Array(units[index...index + 1])[...])
                index += isZero ? 6 : 2
            }
        }
    }

    /// Appends any text: anything but a JSON object becomes a JSON string, which ``text(of:)`` unwraps.
    static func appendChecked(_ text: String, to bytes: inout [UInt8]) {
        if let members = Attributes(json: text) {
            append(JSONWriter.text(members), to: &bytes)
        } else {
            var quoted: [UInt8] = []
            JSONWriter.write(text, into: &quoted)
            append(String(decoding: quoted, as: UTF8.self), to: &bytes)
        }
    }

    /// The compact form of `jsonb`'s text, which has a space after each colon and comma.
    static func text(of json: UnsafeRawBufferPointer) -> String {
        if json.first == 0x22, case .string(let text)? = try? JSONReader.value(of: Array(json)) { return text }
        var compact: [UInt8] = []
        compact.reserveCapacity(json.count)
        var isString = false
        var index = 0
        while index < json.count {
            let byte = json[index]
            index += 1
            if byte == 0x20, !isString { continue }
            compact.append(byte)
            if byte == 0x22 { isString.toggle() }
            if byte == 0x5C, index < json.count {
                compact.append(json[index])
                index += 1
            }
        }
        return String(decoding: compact, as: UTF8.self)
    }
}
