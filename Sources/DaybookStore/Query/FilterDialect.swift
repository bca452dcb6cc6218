/// How the engines differ in what a ``FilterSQL`` needs. A question mark stands for one value, once.
package struct FilterDialect: Sendable {
    /// The version in the column `context`.
    package var version: String
    /// Whether the text of the first expression has a dot.
    package var hasDot: @Sendable (_ text: String) -> String
    /// The text from a character on, whose number (from 1) is the question mark.
    package var suffix: @Sendable (_ text: String) -> String
    /// That a condition is false or has no answer.
    package var negated: @Sendable (_ condition: String) -> String
    /// That a folded column contains a folded text, the question mark; `nil` where only code can say.
    package var contains: @Sendable (_ column: String, _ search: SearchText) -> String?

    package init(
        version: String, hasDot: @escaping @Sendable (_ text: String) -> String,
        suffix: @escaping @Sendable (_ text: String) -> String,
        negated: @escaping @Sendable (_ condition: String) -> String,
        contains: @escaping @Sendable (_ column: String, _ search: SearchText) -> String?
    ) {
        self.version = version
        self.hasDot = hasDot
        self.suffix = suffix
        self.negated = negated
        self.contains = contains
    }

    static let sqlite = FilterDialect(
        version: "daybook_version(context)", hasDot: { "instr(\($0), '.') > 0" }, suffix: { "substr(\($0), ?)" },
        negated: { "(\($0)) IS NOT TRUE" }, contains: { column, _ in "daybook_contains(\(column), ?)" })
}
