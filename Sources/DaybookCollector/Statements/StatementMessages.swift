import DaybookBase
import DaybookStore
import DaybookTools
import Foundation

/// The request to a statement process, sent once to its standard input: four bytes of length, then this as JSON.
struct StatementRequest: Codable, Equatable {
    /// The store's address. It may contain a password, and command lines are public on the machine.
    var store: String
    var sql: String
    var rows: Int
    var milliseconds: Int
    var bytes: Int
    /// PostgreSQL's password. Not passed in the process's environment, which stays readable while it runs.
    var password: String?
    var masking: MaskingPolicy?
    /// Whether to run at low priority.
    var givesWay = false

    init(store: String, sql: String, _ limits: QueryLimits, givesWay: Bool = false, password: String? = nil) {
        (self.store, self.sql, rows, bytes, masking) = (store, sql, limits.rows, limits.bytes, limits.masking)
        (self.givesWay, self.password) = (givesWay, password)
        milliseconds = max(1, Int(limits.time / .milliseconds(1)))
    }

    var limits: QueryLimits {
        var limits = QueryLimits()
        (limits.rows, limits.bytes, limits.time, limits.masking) = (rows, bytes, .milliseconds(milliseconds), masking)
        // The process has a memory limit and can be killed at any time.
        limits.valueBytes = 64 << 20
        return limits
    }

    func encoded() throws -> [UInt8] { MessageBytes.framed(Array(try JSONEncoder().encode(self))) }
}

/// The response of a statement process, in frames on its standard output: columns, a frame per row, and an end frame
/// that says whether the answer is complete or why not.
enum StatementAnswer {
    static func bytes(_ outcome: Result<QueryResult, StoreError>) -> [UInt8] {
        var bytes: [UInt8] = []
        switch outcome {
        case .success(let result):
            var columns: [UInt8] = [FrameKind.columns.rawValue]
            for name in result.columns { MessageBytes.add(Array(name.utf8), to: &columns) }
            bytes += MessageBytes.framed(columns)
            for row in result.rows { bytes += MessageBytes.framed(row.reduce(into: [FrameKind.row.rawValue], add)) }
            bytes += MessageBytes.framed(
                [FrameKind.end.rawValue, result.isTruncated ? 1 : 0, result.isMasked ? 1 : 0])
        case .failure(let error):
            var frame: [UInt8] = [FrameKind.failure.rawValue]
            MessageBytes.add(Array(error.code.rawValue.utf8), to: &frame)
            MessageBytes.add(Array(error.message.utf8), to: &frame)
            bytes += MessageBytes.framed(frame)
        }
        return bytes
    }

    private static func add(to frame: inout [UInt8], _ cell: QueryResult.Cell) {
        switch cell {
        case .null: frame.append(CellKind.null.rawValue)
        case .integer(let number):
            frame.append(CellKind.integer.rawValue)
            MessageBytes.add(UInt64(bitPattern: number), to: &frame)
        case .real(let number):
            frame.append(CellKind.real.rawValue)
            MessageBytes.add(number.bitPattern, to: &frame)
        case .text(let text):
            frame.append(CellKind.text.rawValue)
            MessageBytes.add(Array(text.utf8), to: &frame)
        case .blob(let bytes):
            frame.append(CellKind.blob.rawValue)
            MessageBytes.add(bytes, to: &frame)
        }
    }
}

/// Reassembles the response from pipe reads (pure). The process has run untrusted statements, so all sizes and forms
/// are checked.
struct StatementAnswerReader {
    struct Malformed: Error {}

    private var rest: [UInt8] = []
    private var result = QueryResult(columns: [], rows: [], isTruncated: false)
    /// Bytes still accepted: an answer's limit, and its column names.
    private var room: Int
    /// The outcome, once complete.
    private(set) var outcome: Result<QueryResult, StoreError>?

    init(_ limits: QueryLimits) { room = limits.bytes + (1 << 20) }

    mutating func take(_ bytes: ArraySlice<UInt8>) throws(Malformed) {
        room -= bytes.count
        guard room >= 0 else { throw Malformed() }
        rest += bytes
        var start = 0
        while outcome == nil, rest.count - start >= 4 {
            let length = Int(MessageBytes.length(rest[start...]))
            guard rest.count - start - 4 >= length else { break }
            var frame = MessageBytes(rest[(start + 4)..<(start + 4 + length)])
            try take(&frame)
            start += 4 + length
        }
        rest.removeSubrange(..<start)
    }

    private mutating func take(_ frame: inout MessageBytes) throws(Malformed) {
        guard let kind = FrameKind(rawValue: try frame.byte()) else { throw Malformed() }
        switch kind {
        case .columns:
            while !frame.isEmpty { result.columns.append(try frame.text()) }
        case .row:
            var row: [QueryResult.Cell] = []
            row.reserveCapacity(result.columns.count)
            while !frame.isEmpty { row.append(try frame.cell()) }
            guard row.count == result.columns.count else { throw Malformed() }
            result.rows.append(row)
        case .end:
            result.isTruncated = try frame.byte() == 1
            result.isMasked = try frame.byte() == 1
            outcome = .success(result)
        case .failure:
            guard let code = StoreError.Code(rawValue: try frame.text()) else { throw Malformed() }
            outcome = .failure(StoreError(code, try frame.text()))
        }
    }
}

private enum FrameKind: UInt8 { case columns, row, end, failure }
private enum CellKind: UInt8 { case null, integer, real, text, blob }

/// Numbers and byte strings in both directions: little endian, with four-byte lengths.
struct MessageBytes {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isEmpty: Bool { rest.isEmpty }

    static func framed(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        add(bytes, to: &result)
        return result
    }

    static func add(_ bytes: [UInt8], to result: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { result += $0 }
        result += bytes
    }

    static func add(_ number: UInt64, to result: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { result += $0 }
    }

    static func length(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func byte() throws(StatementAnswerReader.Malformed) -> UInt8 {
        guard let byte = rest.popFirst() else { throw StatementAnswerReader.Malformed() }
        return byte
    }

    mutating func text() throws(StatementAnswerReader.Malformed) -> String {
        String(decoding: try run(), as: UTF8.self)
    }

    fileprivate mutating func cell() throws(StatementAnswerReader.Malformed) -> QueryResult.Cell {
        switch CellKind(rawValue: try byte()) {
        case .null: .null
        case .integer: .integer(Int64(bitPattern: try number()))
        case .real: .real(Double(bitPattern: try number()))
        case .text: .text(try text())
        case .blob: .blob(Array(try run()))
        case nil: throw StatementAnswerReader.Malformed()
        }
    }

    private mutating func run() throws(StatementAnswerReader.Malformed) -> ArraySlice<UInt8> {
        guard rest.count >= 4 else { throw StatementAnswerReader.Malformed() }
        let count = Int(Self.length(rest))
        guard rest.count - 4 >= count else { throw StatementAnswerReader.Malformed() }
        defer { rest = rest.dropFirst(4 + count) }
        return rest.dropFirst(4).prefix(count)
    }

    private mutating func number() throws(StatementAnswerReader.Malformed) -> UInt64 {
        guard rest.count >= 8 else { throw StatementAnswerReader.Malformed() }
        defer { rest = rest.dropFirst(8) }
        return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
