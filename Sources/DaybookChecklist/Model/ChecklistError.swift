/// Why a checklist cannot be used: everything that is wrong with it, not the first thing only.
public struct ChecklistError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One thing that is wrong.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// Where it stands.
        public var location: ChecklistLocation
        /// What is wrong.
        public var message: String
        /// What to write instead, if that is known.
        public var hint: String?

        /// A problem at a place.
        public init(location: ChecklistLocation, message: String, hint: String? = nil) {
            self.location = location
            self.message = message
            self.hint = hint
        }

        /// `file:line:column: error: message (hint)`.
        public var description: String {
            "\(location): error: \(message)" + (hint.map { " (\($0))" } ?? "")
        }
    }

    /// In the order of the file; never empty.
    public var problems: [Problem]

    /// An error made of `problems`.
    public init(problems: [Problem]) {
        self.problems = problems
    }

    /// One problem a line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
