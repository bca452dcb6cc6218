/// A cursor over a line. Offsets count Unicode scalars, like columns in diagnostics.
struct ScalarCursor {
    let scalars: [Unicode.Scalar]
    private(set) var offset = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    var next: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

    var isAtEnd: Bool { offset == scalars.count }

    /// The rest, trimmed.
    var rest: String {
        var end = scalars.count
        while end > offset, scalars[end - 1].isWhiteSpace { end -= 1 }
        return ScalarCursor.text(scalars[offset..<end])
    }

    mutating func advance() { if offset < scalars.count { offset += 1 } }

    mutating func move(to offset: Int) { self.offset = min(offset, scalars.count) }

    mutating func skip(_ text: String) -> Bool {
        guard scalars[offset...].starts(with: text.unicodeScalars) else { return false }
        offset += text.unicodeScalars.count
        return true
    }

    mutating func skipSpaces() { while let next, next.isWhiteSpace { offset += 1 } }

    mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        let start = offset
        while let next, condition(next) { offset += 1 }
        guard start < offset else { return "" }
        return ScalarCursor.text(scalars[start..<offset])
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(scalars.count)
        for scalar in scalars { bytes.append(contentsOf: scalar.utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Unicode.Scalar {
    /// An ASCII letter, digit or `_`, as in names.
    var isNameScalar: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }

    /// Unicode white space, with a fast path for ASCII.
    var isWhiteSpace: Bool { (" "..."~").contains(self) ? self == " " : properties.isWhitespace }

    var isASCIIDigit: Bool { self >= "0" && self <= "9" }
}

extension String {
    var trimmed: String {
        // Above the space, ASCII has no white space.
        if let first = utf8.first, let last = utf8.last, (0x21..<0x7F).contains(first), (0x21..<0x7F).contains(last) {
            return self
        }
        var scalars = Substring(self).unicodeScalars
        while let first = scalars.first, first.isWhiteSpace { scalars.removeFirst() }
        while let last = scalars.last, last.isWhiteSpace { scalars.removeLast() }
        return String(scalars)
    }

    /// At most 80 characters, for messages.
    var clipped: String { count <= 80 ? self : prefix(79) + "…" }
}
