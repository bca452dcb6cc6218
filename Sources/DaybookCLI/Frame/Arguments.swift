/// What the user gave a command, checked against its options.
struct Arguments: Sendable {
    var values: [String: [String]] = [:]
    var flags: Set<String> = []
    /// What is no option, in order.
    var operands: [String] = []
    /// Whether `--help` was given; nothing else was checked then.
    var asksForHelp = false

    /// Whether a flag was given.
    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The value of an option that may be given once, or `nil`.
    subscript(option: String) -> String? { values[option]?.first }

    /// The values of an option that may be repeated, in order.
    func all(_ option: String) -> [String] { values[option] ?? [] }

    /// The value of an option that the command requires.
    ///
    /// - Throws: if the command's options do not say that it is required and it was left out.
    func required(_ option: String) throws(UsageError) -> String {
        guard let value = self[option] else { throw UsageError(message: "--\(option) is missing") }
        return value
    }
}
