/// A subcommand: what it is called, what it takes, and what it does.
struct Command: Sendable {
    /// One word, or several as in `definitions check`.
    var name: String
    /// One line, without a full stop.
    var summary: String
    var options: [Option] = []
    /// What stands behind the options, as the usage text calls it, and how many of it; none by default.
    var operands: (name: String, count: ClosedRange<Int>) = ("", 0...0)
    /// Paragraphs below the options; empty for none.
    var details = ""
    /// Does the work. What it throws is printed, and ends the command with ``ExitCode/badInput``.
    var run: @Sendable (Arguments, Console) async throws -> ExitCode
}
