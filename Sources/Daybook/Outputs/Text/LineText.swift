/// Text under construction, as UTF-8: what comes from a record is escaped, what comes from the format is not.
struct LineText {
    var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    /// Appends text of the format's own.
    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Appends a number of at least so many digits.
    mutating func number(_ number: Int64, digits: Int) {
        let text = String(number)
        for _ in 0..<max(0, digits - text.utf8.count) { bytes.append(UInt8(ascii: "0")) }
        raw(text)
    }

    /// Appends a record's text. Control characters, line ends included, become `\u{a}`.
    mutating func add(_ text: some StringProtocol) {
        escaping(text) { scalar, bytes in
            bytes.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
        }
    }

    /// Appends JSON. The characters that JSON allows in strings and terminals obey become `\u009b`.
    mutating func json(_ write: (inout [UInt8]) -> Void) {
        var json: [UInt8] = []
        write(&json)
        guard Self.maySteer(json[...]) else {
            bytes.append(contentsOf: json)
            return
        }
        escaping(String(decoding: json, as: UTF8.self)) { scalar, bytes in
            // All of them have at most four digits.
            let digits = String(scalar.value, radix: 16)
            bytes.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
        }
    }

    private mutating func escaping(_ text: some StringProtocol, _ escape: (Unicode.Scalar, inout [UInt8]) -> Void) {
        let isPlain = text.utf8.withContiguousStorageIfAvailable { !Self.maySteer($0[...]) } ?? false
        if isPlain {
            bytes.append(contentsOf: text.utf8)
            return
        }
        for scalar in text.unicodeScalars {
            if scalar.steers {
                escape(scalar, &bytes)
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    /// Whether a byte occurs with which a character to be escaped begins; looks at bytes, because almost no text has any.
    private static func maySteer(_ units: some Sequence<UInt8>) -> Bool {
        units.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xE2 }
    }
}

extension Unicode.Scalar {
    /// C0 and C1 controls, and the characters that end lines or reorder text.
    fileprivate var steers: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension TextFormat {
    /// Control characters, line ends included, are escaped: a text cannot forge a line or drive a terminal.
    package static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.steers) else { return text }
        var line = LineText()
        line.add(text)
        return String(decoding: line.bytes, as: UTF8.self)
    }
}
