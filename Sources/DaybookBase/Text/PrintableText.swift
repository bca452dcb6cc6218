extension Unicode.Scalar {
    /// Whether it controls a terminal, ends a line, reorders text or is invisible: control characters, direction marks,
    /// and characters without a glyph. Reports escape these, except where a script or an emoji needs them.
    package var steers: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F,
            0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x2800, 0x3164, 0xFE00...0xFE0F, 0xFEFF, 0xFFA0,
            0xFFF9...0xFFFB, 0xFFFE...0xFFFF, 0x1D173...0x1D17A, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }

    /// Whether a steering character is part of the spelling here. Persian, Hindi, Mongolian, composed emoji, and
    /// variants of ideographs and symbols need them.
    fileprivate func isSpelling(behind previous: Unicode.Scalar?, before next: Unicode.Scalar?) -> Bool {
        switch value {
        case 0x200C: previous.isJoined || next.isJoined
        case 0x200D:
            previous.isJoined || next.isJoined
                || (previous.isPictograph || previous?.value == 0xFE0F) && next.isPictograph
        case 0x180B...0x180D, 0x180F: previous.map { (0x1820...0x18AA).contains($0.value) } ?? false
        case 0xFE00...0xFE0F: previous.hasVariants
        case 0xE0100...0xE01EF: previous.isIdeograph
        default: false
        }
    }
}

extension Unicode.Scalar? {
    /// Scripts written with joiners: Arabic and its neighbours, those of India and South-East Asia, Mongolian.
    fileprivate var isJoined: Bool {
        guard let self, !self.steers else { return false }
        return switch self.value {
        case 0x600...0x109F, 0x1780...0x18AF, 0x1A20...0x1BFF, 0xA8E0...0xA8FF, 0xFB50...0xFDFF, 0xFE70...0xFEFC,
            0x11000...0x11FFF:
            true
        default: false
        }
    }

    fileprivate var isPictograph: Bool {
        guard let self, !self.steers else { return false }
        return (0x2190...0x2BFF).contains(self.value) || (0x1F000...0x1FAFF).contains(self.value)
    }

    fileprivate var isIdeograph: Bool {
        switch self?.value ?? 0 {
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
        default: false
        }
    }

    /// Whether a variation selector after it chooses a glyph: emoji or text, shapes of symbols.
    fileprivate var hasVariants: Bool {
        if isIdeograph || isPictograph { return true }
        return switch self?.value ?? 0 {
        case 0x23, 0x2A, 0x30...0x39, 0xA9, 0xAE, 0x1000...0x109F, 0x2010...0x2027, 0x2030...0x205E, 0x2100...0x218F,
            0x3001...0x303F, 0x3200...0x33FF, 0xA840...0xA877, 0xFF01...0xFF5E:
            true
        default: false
        }
    }
}

extension StringProtocol {
    /// The text for a line of a report, with steering characters as `\u{a}`, so that it can neither forge a line nor
    /// control a terminal.
    package var printable: String {
        guard unicodeScalars.contains(where: \.steers) else { return String(self) }
        var bytes: [UInt8] = []
        writePrintable(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package func writePrintable(into bytes: inout [UInt8]) {
        write(
            escaping: { bytes, scalar in
                bytes.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
            }, into: &bytes)
    }

    /// Each line made printable.
    package var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map(\.printable).joined(separator: "\n")
    }

    /// Doubles the backslashes before an escape, or before what looks like one, so that different texts print
    /// differently.
    package var tellingEscapes: String {
        guard utf8.contains(UInt8(ascii: "\\")) else { return String(self) }
        var result = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                result.append(scalar)
                continue
            }
            let count = rest.prefix { $0 == "\\" }.count + 1
            rest = rest.dropFirst(count - 1)
            let isEscape = rest.first?.steers ?? false || rest.starts(with: "u{".unicodeScalars)
            result.append(contentsOf: repeatElement("\\", count: isEscape ? 2 * count : count))
        }
        return String(result)
    }

    /// A JSON text with steering characters escaped as JSON, except line feeds, which stand only between values. The
    /// values stay the same.
    package var printableJSON: String {
        guard unicodeScalars.contains(where: { $0.steers && $0 != "\n" }) else { return String(self) }
        return split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var bytes: [UInt8] = []
            line.write(
                escaping: { bytes, scalar in
                    for unit in String(scalar).utf16 { JSONWriter.write(escapeOf: unit, into: &bytes) }
                }, into: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }.joined(separator: "\n")
    }

    /// Appends the text as UTF-8; `escape` appends each steering character.
    package func write(escaping escape: (inout [UInt8], Unicode.Scalar) -> Void, into bytes: inout [UInt8]) {
        // Fast path: almost no text has any, and bytes are cheaper than scalars.
        if utf8.withContiguousStorageIfAvailable({ !Self.maySteer($0) }) ?? false {
            bytes.append(contentsOf: utf8)
            return
        }
        var rest = unicodeScalars[...]
        var previous: Unicode.Scalar?
        // Following characters that belong to a flag.
        var ofFlag = 0
        while let scalar = rest.popFirst() {
            if ofFlag == 0, scalar.steers, !scalar.isSpelling(behind: previous, before: rest.first) {
                escape(&bytes, scalar)
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
            ofFlag = scalar.value == 0x1F3F4 ? Self.flagTags(rest) : Swift.max(0, ofFlag - 1)
            previous = scalar
        }
    }

    /// The length of a region's tag sequence after a black flag: Scotland's is `gbsct` as tags, and an end.
    private static func flagTags(_ rest: some Collection<Unicode.Scalar>) -> Int {
        let tags = rest.prefix(8).prefix {
            (0xE0030...0xE0039).contains($0.value) || (0xE0061...0xE007A).contains($0.value)
        }
        return (3...6).contains(tags.count) && rest.dropFirst(tags.count).first?.value == 0xE007F ? tags.count + 1 : 0
    }

    /// Whether a byte may begin a steering character. For bytes that also begin Japanese, Vietnamese or emoji, the next
    /// byte decides.
    private static func maySteer(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 0..<0x20, 0x7F, 0xC2, 0xCD, 0xD8, 0xE2, 0xEF, 0xF3: return true
            case 0xE1, 0xE3, 0xF0:
                guard index + 1 < bytes.count else { return true }
                switch (byte, bytes[index + 1]) {
                case (0xE1, 0x85), (0xE1, 0x9E), (0xE1, 0xA0), (0xE3, 0x85), (0xF0, 0x9D): return true
                default: break
                }
            default: break
            }
        }
        return false
    }
}
