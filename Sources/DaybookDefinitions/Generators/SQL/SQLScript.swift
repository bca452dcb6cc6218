/// Statements as a file for a database's own shell.
struct SQLScript {
    private(set) var text = ""

    /// - Parameter header: Lines of comment at the top.
    init(header: [String]) { for line in header { text += "-- \(line)\n" } }

    /// Adds statements that belong together: an empty line stands before them.
    mutating func add(_ statements: [String]) {
        guard !statements.isEmpty else { return }
        text += "\n"
        for statement in statements { text += statement + ";\n" }
    }

    /// Adds a line of comment, which must not have line ends.
    mutating func note(_ line: String) { text += "\n-- \(line)\n" }
}
