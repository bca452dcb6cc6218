import DaybookStore

/// Lexical analysis of users' statements.
package enum StatementText {
    /// Whether a statement begins like one that reads in some store. What it really does, only the store knows.
    package static func mayRead(_ sql: String) -> Bool {
        PostgreSQLConsole.beginnings.union(ClickHouseConsole.beginnings).contains(firstWord(of: sql))
    }

    /// The first word after spaces, comments and parentheses, in lower case.
    static func firstWord(of sql: String) -> String { sql[firstWordRange(of: sql)].lowercased() }

    static func firstWordRange(of sql: String) -> Range<String.Index> {
        var rest = sql[...]
        while let first = rest.first {
            if first.isWhitespace || first == "(" {
                rest = rest.dropFirst()
            } else if rest.hasPrefix("--") {
                rest = rest.drop { !$0.isNewline }
            } else if rest.hasPrefix("/*"), let end = rest.dropFirst(2).firstRange(of: "*/") {
                rest = rest[end.upperBound...]
            } else {
                break
            }
        }
        let word = rest.prefix { $0.isASCII && $0.isLetter }
        return word.startIndex..<word.endIndex
    }

    /// Names before a parenthesis, in lower case: functions called, and some others. Ignores strings and comments. A
    /// name in Unicode escapes, which could be any, is `u&"…"`.
    static func calledNames(in sql: String, _ dialect: StoreDialect) -> Set<String> {
        var scanner = CallScanner(bytes: Array(sql.utf8), dialect: dialect)
        return scanner.names()
    }
}

extension StatementText {
    /// All words and names outside strings and comments, in lower case.
    static func names(in sql: String, _ dialect: StoreDialect) -> Set<String> {
        var scanner = CallScanner(bytes: Array(sql.utf8), dialect: dialect)
        _ = scanner.names()
        return scanner.words
    }
}

/// Scans names, strings and comments like the servers' own lexers. Source: PostgreSQL, `scan.l`; ClickHouse,
/// `Lexer.cpp`.
private struct CallScanner {
    let bytes: [UInt8]
    let dialect: StoreDialect
    private var place = 0
    /// The last name, while only space has followed.
    private var name: String? { didSet { if let name { words.insert(name) } } }
    private var found: Set<String> = []
    private(set) var words: Set<String> = []

    init(bytes: [UInt8], dialect: StoreDialect) {
        self.bytes = bytes
        self.dialect = dialect
    }

    mutating func names() -> Set<String> {
        while let byte = at(0) {
            if isSpace(byte) || skipComment() {
                if isSpace(byte) { place += 1 }
                continue
            }
            switch byte {
            case UInt8(ascii: "("):
                if let name { found.insert(name) }
                name = nil
                place += 1
            case UInt8(ascii: "'"):
                skipText(escapes: dialect == .clickhouse)
                name = nil
            case UInt8(ascii: "\""): name = quotedName(byte)
            case UInt8(ascii: "`") where dialect == .clickhouse: name = quotedName(byte)
            case UInt8(ascii: "$") where skipDollarText(): name = nil
            case _ where isNameStart(byte): takeWord()
            default:
                name = nil
                place += 1
            }
        }
        return found
    }

    private func at(_ offset: Int) -> UInt8? { place + offset < bytes.count ? bytes[place + offset] : nil }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private func isNameStart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
    }

    private func isInName(_ byte: UInt8) -> Bool {
        isNameStart(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "$")
    }

    /// A word, or the prefix of a string or of a name in Unicode escapes.
    private mutating func takeWord() {
        let start = place
        while let byte = at(0), isInName(byte) { place += 1 }
        let word = String(decoding: bytes[start..<place], as: UTF8.self).lowercased()
        name = word
        guard dialect == .postgresql else { return }
        if word == "e", at(0) == UInt8(ascii: "'") {
            skipText(escapes: true)
            name = nil
        } else if word == "u", at(0) == UInt8(ascii: "&"), at(1) == UInt8(ascii: "\"") {
            place += 1
            _ = quotedName(UInt8(ascii: "\""))
            name = nil
            found.insert("u&\"…\"")
        }
    }

    /// Skips a string; a doubled quote is part of it.
    private mutating func skipText(escapes: Bool) {
        let quote = UInt8(ascii: "'")
        place += 1
        while let byte = at(0) {
            if byte == quote, at(1) == quote {
                place += 2
            } else if byte == quote {
                place += 1
                // In PostgreSQL a string continues on another line, with the same escapes.
                guard dialect == .postgresql, escapes, isContinued() else { return }
            } else {
                place += byte == UInt8(ascii: "\\") && escapes ? 2 : 1
            }
        }
    }

    /// Whether only space and comments precede another quote, which is then skipped.
    private mutating func isContinued() -> Bool {
        let end = place
        while let byte = at(0), isSpace(byte) || (byte == UInt8(ascii: "-") && skipComment()) {
            if isSpace(byte) { place += 1 }
        }
        if at(0) == UInt8(ascii: "'") {
            place += 1
            return true
        }
        place = end
        return false
    }

    private mutating func quotedName(_ quote: UInt8) -> String {
        var name: [UInt8] = []
        place += 1
        while let byte = at(0) {
            place += 1
            if byte == quote {
                guard at(0) == quote else { break }
                place += 1
            } else if byte == UInt8(ascii: "\\"), dialect == .clickhouse, let next = at(0) {
                place += 1
                name.append(next)
                continue
            }
            name.append(byte)
        }
        return String(decoding: name, as: UTF8.self).lowercased()
    }

    /// Skips `$tag$…$tag$`.
    private mutating func skipDollarText() -> Bool {
        var end = place + 1
        while end < bytes.count, isInName(bytes[end]), bytes[end] != UInt8(ascii: "$") { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "$"), !(0x30...0x39).contains(bytes[place + 1]) else {
            return false
        }
        let mark = bytes[place...end]
        place = bytes[(end + 1)...].firstRange(of: mark)?.upperBound ?? bytes.count
        return true
    }

    private mutating func skipComment() -> Bool {
        let (first, second) = (at(0), at(1))
        if first == UInt8(ascii: "-") && second == first || first == UInt8(ascii: "#") && dialect == .clickhouse {
            skipLine()
            return true
        }
        guard first == UInt8(ascii: "/"), second == UInt8(ascii: "*") else { return false }
        skipBlockComment()
        return true
    }

    private mutating func skipLine() {
        while let byte = at(0), byte != 0x0A, byte != 0x0D || dialect == .clickhouse { place += 1 }
    }

    /// PostgreSQL's nest.
    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if at(0) == UInt8(ascii: "/"), at(1) == UInt8(ascii: "*"), depth == 0 || dialect == .postgresql {
                depth += 1
                place += 2
            } else if at(0) == UInt8(ascii: "*"), at(1) == UInt8(ascii: "/") {
                depth -= 1
                place += 2
            } else {
                place += 1
            }
        } while depth > 0 && place < bytes.count
    }
}
