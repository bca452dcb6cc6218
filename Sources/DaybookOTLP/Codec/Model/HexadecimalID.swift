/// Trace and span identifiers as text.
enum HexadecimalID {
    /// The lowercase digits of an identifier of `count` bytes; `nil` where it has another length or is all zero, which
    /// OpenTelemetry calls invalid.
    static func text(_ bytes: UnsafeRawBufferPointer, count: Int) -> String? {
        guard bytes.count == count, bytes.contains(where: { $0 != 0 }) else { return nil }
        return String(unsafeUninitializedCapacity: count * 2) { digits in
            for (index, byte) in bytes.enumerated() {
                digits[index * 2] = digit(byte >> 4)
                digits[index * 2 + 1] = digit(byte & 15)
            }
            return count * 2
        }
    }

    /// The identifier written in hexadecimal digits of either case, as text in lower case.
    static func text(_ digits: String, count: Int) -> String? {
        let bytes = bytes(digits)
        return bytes.withUnsafeBytes { text($0, count: count) }
    }

    /// The bytes of hexadecimal digits; empty where they are not.
    static func bytes(_ digits: String) -> [UInt8] {
        let units = Array(digits.utf8)
        guard units.count % 2 == 0 else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(units.count / 2)
        for index in stride(from: 0, to: units.count, by: 2) {
            guard let high = value(units[index]), let low = value(units[index + 1]) else { return [] }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

    private static func value(_ unit: UInt8) -> UInt8? {
        switch unit {
        case 48...57: unit - 48
        case 65...70: unit - 55
        case 97...102: unit - 87
        default: nil
        }
    }
}
