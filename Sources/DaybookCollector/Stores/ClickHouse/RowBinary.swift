import DaybookStore

/// Values in the format `RowBinary`.
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

    /// Seven bits a byte, the low ones first.
    private mutating func append(count: Int) {
        var rest = UInt(count)
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
