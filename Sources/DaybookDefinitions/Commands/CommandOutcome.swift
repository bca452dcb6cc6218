/// What a command prints and how it exits.
public struct CommandOutcome: Sendable, Hashable {
    /// The text for standard output.
    public var output: String
    /// The text for standard error.
    public var errors: String
    /// 0 done, 1 the answer is no, 2 bad input or usage.
    public var exitCode: Int32

    /// An outcome.
    public init(output: String = "", errors: String = "", exitCode: Int32) {
        self.output = output
        self.errors = errors
        self.exitCode = exitCode
    }
}

extension [Diagnostic] {
    /// One line each, as compilers print them.
    var lines: String { map { $0.description + "\n" }.joined() }
}
