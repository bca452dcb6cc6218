extension UnsafeRawBufferPointer {
    /// Whether the bytes are UTF-8, without making a text of them.
    package var isWellFormed: Bool {
        var place = 0
        while place < count {
            if count - place >= 8, loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
                place += 8
                continue
            }
            let (length, second): (Int, ClosedRange<UInt8>) =
                switch self[place] {
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
            guard length > 0, count - place >= length, length == 1 || second.contains(self[place + 1]) else {
                return false
            }
            if length > 2, !self[(place + 2)..<(place + length)].allSatisfy({ $0 & 0xC0 == 0x80 }) { return false }
            place += length
        }
        return true
    }
}

extension String {
    /// The text of bytes that are UTF-8; `nil` if they are not. The standard library's own begins with iOS 18.
    ///
    /// Decoding replaces each malformed sequence by U+FFFD, whose bytes are others than those it replaces: the text has
    /// the bytes that it was made of only if these were UTF-8.
    package init?(wellFormed bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
