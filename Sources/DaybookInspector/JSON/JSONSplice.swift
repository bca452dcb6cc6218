import DaybookBase

/// Copies stored JSON into an answer in one pass, without building values.
///
/// The pass checks the grammar (RFC 8259), so that one damaged row cannot spoil the answer it stands in, and puts
/// numbers that JavaScript would round or take for infinite between quotes. Text that is no JSON is copied as a JSON string.
struct JSONSplice {
    /// Nesting beyond this is not followed: the text is then copied as a string.
    static let deepest = 64

    private var input: Input
    private var output: [UInt8]

    private struct Input {
        let bytes: [UInt8]
        var index = 0

        var next: UInt8? { index < bytes.count ? bytes[index] : nil }
    }

    static func append(_ text: String, to bytes: inout [UInt8]) {
        var splice = JSONSplice(input: Input(bytes: Array(text.utf8)), output: bytes)
        // The array is moved, not copied: the caller's is emptied while the splice owns it.
        bytes = []
        let start = splice.output.count
        if !splice.document() {
            splice.output.removeSubrange(start...)
            JSONWriter.write(text, into: &splice.output)
        }
        bytes = splice.output
    }

    private mutating func document() -> Bool {
        guard value(depth: 0) else { return false }
        skipSpace()
        return input.next == nil
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < Self.deepest else { return false }
        skipSpace()
        switch input.next {
        case UInt8(ascii: "{"): return members(close: UInt8(ascii: "}"), keyed: true, depth: depth)
        case UInt8(ascii: "["): return members(close: UInt8(ascii: "]"), keyed: false, depth: depth)
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        default: return number()
        }
    }

    private mutating func members(close: UInt8, keyed: Bool, depth: Int) -> Bool {
        copy()
        skipSpace()
        if input.next == close {
            copy()
            return true
        }
        while true {
            if keyed {
                skipSpace()
                guard input.next == UInt8(ascii: "\""), string() else { return false }
                skipSpace()
                guard input.next == UInt8(ascii: ":") else { return false }
                copy()
            }
            guard value(depth: depth + 1) else { return false }
            skipSpace()
            switch input.next {
            case UInt8(ascii: ","): copy()
            case close:
                copy()
                return true
            default: return false
            }
        }
    }

    private mutating func string() -> Bool {
        copy()
        while let byte = input.next {
            copy()
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard escape() else { return false }
            case 0..<0x20: return false
            default: break
            }
        }
        return false
    }

    private mutating func escape() -> Bool {
        guard let byte = input.next else { return false }
        copy()
        switch byte {
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                switch input.next {
                case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), .some(UInt8(ascii: "a")...UInt8(ascii: "f")),
                    .some(UInt8(ascii: "A")...UInt8(ascii: "F")):
                    copy()
                default: return false
                }
            }
            return true
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        default: return false
        }
    }

    private mutating func number() -> Bool {
        let start = input.index
        var isInteger = true
        if input.next == UInt8(ascii: "-") { input.index += 1 }
        let firstDigit = input.index
        guard digits() else { return false }
        if input.bytes[firstDigit] == UInt8(ascii: "0"), input.index > firstDigit + 1 { return false }
        if input.next == UInt8(ascii: ".") {
            isInteger = false
            input.index += 1
            guard digits() else { return false }
        }
        if input.next == UInt8(ascii: "e") || input.next == UInt8(ascii: "E") {
            isInteger = false
            input.index += 1
            if input.next == UInt8(ascii: "+") || input.next == UInt8(ascii: "-") { input.index += 1 }
            guard digits() else { return false }
        }
        let text = input.bytes[start..<input.index]
        let isKept = isInteger ? Self.isExact(input.bytes[firstDigit..<input.index]) : Self.isFinite(text)
        if !isKept { output.append(UInt8(ascii: "\"")) }
        output.append(contentsOf: text)
        if !isKept { output.append(UInt8(ascii: "\"")) }
        return true
    }

    private mutating func digits() -> Bool {
        let start = input.index
        while case .some(UInt8(ascii: "0")...UInt8(ascii: "9")) = input.next { input.index += 1 }
        return input.index > start
    }

    private static func isExact(_ digits: ArraySlice<UInt8>) -> Bool {
        guard digits.count >= 16 else { return true }
        guard digits.count == 16 else { return false }
        let number = digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
        return number <= JSONBuilder.largestExactInteger
    }

    /// `1e999` is grammatical, but readers that keep doubles find infinity there, or refuse it.
    private static func isFinite(_ text: ArraySlice<UInt8>) -> Bool {
        Double(String(decoding: text, as: UTF8.self))?.isFinite ?? false
    }

    private mutating func word(_ text: StaticString) -> Bool {
        let end = input.index + text.utf8CodeUnitCount
        guard end <= input.bytes.count else { return false }
        let isSame = text.withUTF8Buffer { $0.elementsEqual(input.bytes[input.index..<end]) }
        guard isSame else { return false }
        output.append(contentsOf: input.bytes[input.index..<end])
        input.index = end
        return true
    }

    private mutating func skipSpace() {
        while let byte = input.next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { input.index += 1 }
    }

    private mutating func copy() {
        output.append(input.bytes[input.index])
        input.index += 1
    }
}
