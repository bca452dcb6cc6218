import DaybookBase
import DaybookStore
import Dispatch

/// Encodes values in the format `RowBinary`.
///
/// Source: ClickHouse, *Formats for input and output data*, "RowBinary".
struct RowBinary {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: String) {
        append(count: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(nullable text: String?) {
        bytes.append(text == nil ? 1 : 0)
        if let text { append(text) }
    }

    mutating func append(nullable number: Int64?) {
        bytes.append(number == nil ? 1 : 0)
        if let number { append(number) }
    }

    mutating func append(_ numbers: [Int64]) {
        append(count: numbers.count)
        for number in numbers { append(number) }
    }

    mutating func append(_ texts: [String]) {
        append(count: texts.count)
        for text in texts { append(text) }
    }

    /// LEB128.
    private mutating func append(count: Int) {
        var rest = UInt(count)
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

/// A row of `stored_records`.
enum StoredRow {
    /// Version and device are extracted from the context, for filters and aggregates.
    static let insertion = "(\(RecordColumn.names), version, device, arrived) FORMAT RowBinary"

    static func append(
        _ row: RecordRow, id: Int64, _ fields: ContextFields, arrived: Int64, to binary: inout RowBinary
    ) {
        binary.append(id)
        binary.append(row.uid)
        binary.append(row.time)
        binary.append(row.kind.rawValue)
        binary.append(Int16(clamping: row.level))
        binary.append(row.tag)
        binary.append(nullable: row.message)
        binary.append(nullable: row.module)
        binary.append(row.attributes)
        binary.append(row.context)
        binary.append(nullable: row.session)
        binary.append(nullable: row.installation)
        binary.append(nullable: row.traceID)
        binary.append(nullable: row.spanID)
        binary.append(nullable: row.parentSpanID)
        binary.append(nullable: row.duration)
        binary.append(nullable: row.file)
        binary.append(nullable: row.function)
        binary.append(nullable: row.line.map(Int64.init))
        binary.append(nullable: fields.version)
        binary.append(nullable: fields.device)
        binary.append(max(arrived, 1))
    }
}

/// Encodes a plan's new rows as the body of an INSERT, on another thread while the servers are queried. Thread-safe.
final class EncodedRows: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    private let work = DispatchGroup()

    /// Starts encoding; the plan's rows are already numbered.
    init(_ plan: CommitPlan) {
        work.enter()
        DispatchQueue.global(qos: .utility).async {
            self.bytes.withLock { $0 = Self.encode(plan) }
            self.work.leave()
        }
    }

    /// Blocks until done, and hands over the bytes.
    func take() -> [UInt8] {
        work.wait()
        return bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    private static func encode(_ plan: CommitPlan) -> [UInt8] {
        var binary = RowBinary()
        var contexts = ContextFieldsCache()
        for part in plan.parts {
            for (offset, place) in part.newRows.enumerated() {
                StoredRow.append(
                    part.batch.rows[place], id: part.firstID + Int64(offset),
                    contexts.fields(of: part.batch.rows[place].context), arrived: part.batch.arrived, to: &binary)
            }
        }
        return binary.bytes
    }
}
