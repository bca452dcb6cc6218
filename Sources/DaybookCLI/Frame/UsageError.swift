/// A command line that cannot be used.
struct UsageError: Error, CustomStringConvertible {
    var message: String
    /// What to write instead, if that is known.
    var hint: String?

    var description: String { message + (hint.map { " (\($0))" } ?? "") }
}
