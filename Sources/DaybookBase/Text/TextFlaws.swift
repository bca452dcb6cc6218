/// What is changed in a text from outside when it is stored.
package struct TextFlaws: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Malformed UTF-8, and lone surrogates; both become U+FFFD.
    package static let malformed = TextFlaws(rawValue: 1)
    package static let halves = TextFlaws(rawValue: 2)
    /// NUL; stores write U+FFFD.
    package static let nul = TextFlaws(rawValue: 4)
    /// Too many marks; see ``StreamSafeText``.
    package static let marks = TextFlaws(rawValue: 8)

    package init(of bytes: UnsafeRawBufferPointer) {
        self = []
        var place = 0
        while place < bytes.count {
            if bytes.count - place >= 8 {
                let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                // Eight ASCII bytes without NUL: a borrow would set a top bit.
                if (word | (word &- 0x0101_0101_0101_0101)) & 0x8080_8080_8080_8080 == 0 {
                    place += 8
                    continue
                }
            }
            let length = Self.length(bytes, place)
            if length == 0 { insert(.malformed) }
            if bytes[place] == 0 { insert(.nul) }
            place += max(1, length)
        }
        guard StreamSafeText.mayHaveTooManyMarks(bytes) else { return }
        var text = String(decoding: bytes, as: UTF8.self)
        if text.makeStreamSafe() { insert(.marks) }
    }

    /// Length of the scalar at `place`; 0 if malformed. Source: RFC 3629, section 4.
    private static func length(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Int {
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch bytes[place] {
            case ..<0x80: (1, 0...0)
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (0, 0...0)
            }
        if length < 2 { return length }
        guard bytes.count - place >= length, second.contains(bytes[place + 1]) else { return 0 }
        return bytes[(place + 2)..<(place + length)].allSatisfy { $0 & 0xC0 == 0x80 } ? length : 0
    }

    /// Suffixes for the name of a counted text: `anyValue.stringValue as UTF-8`.
    package var names: [String] {
        let names: [(TextFlaws, String)] = [
            (.malformed, "as UTF-8"), (.halves, "with half of a surrogate pair"), (.nul, "with NUL"),
            (.marks, "with over \(StreamSafeText.mostMarks) marks in a row"),
        ]
        return names.filter { contains($0.0) }.map(\.1)
    }
}
