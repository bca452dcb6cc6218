/// The words and texts of a program in Swift, Kotlin or another language with the same comments and strings.
///
/// Not a parser: it knows just enough to look past comments and into texts. Any bytes are accepted, in linear time.
struct SourceTokens: Sequence, IteratorProtocol {
    enum Token {
        case word(ArraySlice<UInt8>)
        /// What stands between the quotes of a text that is on one line.
        case text(ArraySlice<UInt8>)
        case mark(UInt8)
    }

    private let bytes: [UInt8]
    private var index = 0
    /// The line of the token that was read last, from 1.
    private(set) var line = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Token? {
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case .lineFeed:
                line += 1
                index += 1
            case .space, .tab, .carriageReturn, UInt8(ascii: "`"): index += 1
            case UInt8(ascii: "/") where follows("/"): skip { $0 == .lineFeed }
            case UInt8(ascii: "/") where follows("*"): skipComment()
            case UInt8(ascii: "\""):
                if let text = text() { return .text(text) }
            case _ where SourceTokens.isWord(byte):
                let start = index
                while index < bytes.count, SourceTokens.isWord(bytes[index]) { index += 1 }
                return .word(bytes[start..<index])
            default:
                index += 1
                return .mark(byte)
            }
        }
        return nil
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private func follows(_ mark: Unicode.Scalar) -> Bool {
        index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: mark)
    }

    private mutating func skip(until isEnd: (UInt8) -> Bool) {
        while index < bytes.count, !isEnd(bytes[index]) { index += 1 }
    }

    /// Comments nest in Swift and Kotlin.
    private mutating func skipComment() {
        var depth = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "/"), follows("*") {
                depth += 1
                index += 1
            } else if bytes[index] == UInt8(ascii: "*"), follows("/") {
                depth -= 1
                index += 1
            } else if bytes[index] == .lineFeed {
                line += 1
            }
            index += 1
            if depth == 0 { return }
        }
    }

    /// The text that begins here; `nil` for one of several lines, which is passed over.
    private mutating func text() -> ArraySlice<UInt8>? {
        let quote = UInt8(ascii: "\"")
        if bytes[index...].starts(with: [quote, quote, quote]) {
            index += 3
            while index < bytes.count, !bytes[index...].starts(with: [quote, quote, quote]) {
                if bytes[index] == .lineFeed { line += 1 }
                index += 1
            }
            index = Swift.min(index + 3, bytes.count)
            return nil
        }
        index += 1
        let start = index
        while index < bytes.count, bytes[index] != quote, bytes[index] != .lineFeed {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = Swift.min(index, bytes.count)
        if index < bytes.count, bytes[index] == quote { index += 1 } else { index = end }
        return bytes[start..<end]
    }
}
