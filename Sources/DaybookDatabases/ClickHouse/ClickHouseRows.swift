/// An answer in the format `TabSeparatedWithNamesAndTypes`.
///
/// Source: ClickHouse, *Formats for input and output data*, "TabSeparated".
struct ClickHouseRows: AnsweredRows {
    let columns: [String]
    /// As the server writes them, such as `Nullable(Int64)`.
    let types: [String]
    private let bytes: [UInt8]
    /// Row by row.
    private var cells: [Range<Int>] = []

    /// Drops the last line of a truncated answer.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var lines = 0
        var start = 0
        var header: [[String]] = []
        var line: [Range<Int>] = []
        for index in bytes.indices where bytes[index] == 0x09 || bytes[index] == 0x0A {
            line.append(start..<index)
            start = index + 1
            guard bytes[index] == 0x0A else { continue }
            lines += 1
            if lines <= 2 {
                header.append(line.map { Self.text(bytes[$0]) })
            } else {
                cells += line
            }
            line = []
        }
        columns = header.first ?? []
        types = header.dropFirst().first ?? []
    }

    var count: Int { columns.isEmpty ? 0 : cells.count / columns.count }

    /// `nil` for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        let cell = bytes[cells[row * columns.count + column]]
        return cell.elementsEqual([0x5C, 0x4E]) ? nil : Self.text(cell)
    }

    func json(_ row: Int, _ column: Int) -> String { text(row, column) ?? "" }

    func integers(_ row: Int, _ column: Int) -> [Int64] {
        (text(row, column) ?? "").dropFirst().dropLast().split(separator: ",").compactMap { Int64($0) }
    }

    private static func text(_ cell: ArraySlice<UInt8>) -> String {
        guard cell.contains(0x5C) else { return String(streamSafe: cell) }
        var plain: [UInt8] = []
        plain.reserveCapacity(cell.count)
        var index = cell.startIndex
        while index < cell.endIndex {
            guard cell[index] == 0x5C, index + 1 < cell.endIndex else {
                plain.append(cell[index])
                index += 1
                continue
            }
            switch cell[index + 1] {
            case UInt8(ascii: "b"): plain.append(0x08)
            case UInt8(ascii: "f"): plain.append(0x0C)
            case UInt8(ascii: "r"): plain.append(0x0D)
            case UInt8(ascii: "n"): plain.append(0x0A)
            case UInt8(ascii: "t"): plain.append(0x09)
            case UInt8(ascii: "0"): plain.append(0x00)
            case let other: plain.append(other)
            }
            index += 2
        }
        return String(streamSafe: plain)
    }
}
