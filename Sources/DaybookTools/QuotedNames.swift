import DaybookBase

/// The names that stand in a text as those of JSON do: between quotation marks, escaped ones too, before a colon. One pass
/// over the bytes; pure.
enum QuotedNames {
    /// Whether one of the names, folded, is wanted.
    static func contain(_ isWanted: (String) -> Bool, in text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: ":")) else { return false }
        var text = text
        return text.withUTF8 { bytes in
            bytes.indices.contains { place in
                guard isMark(bytes[place]), let name = name(in: bytes, from: place) else { return false }
                return isWanted(folded(name))
            }
        }
    }

    /// The name that begins behind a quotation mark; `nil` where none ends before a colon.
    @inline(__always)
    static func name(
        in bytes: UnsafeBufferPointer<UInt8>, from mark: Int
    ) -> UnsafeBufferPointer<UInt8>? {
        let start = mark + 1
        var end = start
        while end < bytes.count, bytes[end] != bytes[mark] {
            end += bytes[end] == UInt8(ascii: "\\") && end + 1 < bytes.count && bytes[end + 1] != bytes[mark] ? 2 : 1
        }
        guard end < bytes.count else { return nil }
        var next = end + 1
        while next < bytes.count, bytes[next] <= 0x20 { next += 1 }
        guard next < bytes.count, bytes[next] == UInt8(ascii: ":") else { return nil }
        // The mark at its end may be escaped as the one before it is.
        while end > start, bytes[end - 1] == UInt8(ascii: "\\") { end -= 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    static func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    /// A name as ``FoldedName`` has it, its escapes read.
    static func folded(_ name: UnsafeBufferPointer<UInt8>) -> String {
        if name.contains(UInt8(ascii: "\\")), case .string(let text)? = unescaped(name) { return FoldedName.of(text) }
        return FoldedName.of(String(decoding: name, as: UTF8.self))
    }

    /// Marks of JSON within JSON are escaped more than once.
    private static func unescaped(_ name: UnsafeBufferPointer<UInt8>) -> Value? {
        var bytes = Array(name)
        for index in bytes.indices.dropLast().reversed() where bytes[index] == 0x5C && bytes[index + 1] == 0x5C {
            bytes.remove(at: index)
        }
        return try? JSONReader.value(of: [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")])
    }
}
