/// What a statement that somebody else wrote says of itself.
package enum StatementText {
    /// Whether some store may take the statement: it begins as one that reads. What it then does, only the store knows.
    package static func mayRead(_ sql: String) -> Bool {
        PostgreSQLConsole.beginnings.union(ClickHouseConsole.beginnings).contains(firstWord(of: sql))
    }

    /// The first word behind spaces, comments and parentheses, in lower case.
    static func firstWord(of sql: String) -> String {
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
        return rest.prefix { $0.isASCII && $0.isLetter }.lowercased()
    }
}
