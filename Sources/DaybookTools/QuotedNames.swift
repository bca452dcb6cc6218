import DaybookBase

/// Finds names in a text that look like JSON's: between quotes, perhaps escaped, before a colon. One pass; pure.
enum QuotedNames {
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

    /// The name after a quote; `nil` if none ends before a colon.
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
        // The closing quote may be escaped like the opening one.
        while end > start, bytes[end - 1] == UInt8(ascii: "\\") { end -= 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    static func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    /// A name folded as by ``FoldedName``, with escapes resolved.
    static func folded(_ name: UnsafeBufferPointer<UInt8>) -> String {
        if name.contains(UInt8(ascii: "\\")), case .string(let text)? = unescaped(name) { return FoldedName.of(text) }
        return FoldedName.of(String(decoding: name, as: UTF8.self))
    }

    /// Quotes of nested JSON are escaped several times.
    private static func unescaped(_ name: UnsafeBufferPointer<UInt8>) -> Value? {
        var bytes = Array(name)
        for index in bytes.indices.dropLast().reversed() where bytes[index] == 0x5C && bytes[index + 1] == 0x5C {
            bytes.remove(at: index)
        }
        return try? JSONReader.value(of: [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")])
    }
}
