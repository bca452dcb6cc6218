/// An option that a command takes.
struct Option: Sendable {
    /// What follows the name.
    enum Argument: Sendable, Hashable {
        /// Nothing.
        case none
        /// A value, called this in the usage text.
        case value(String)
    }

    /// Without the dashes: `checklist`.
    var name: String
    var argument: Argument
    /// One line, without a full stop.
    var help: String
    var isRequired: Bool
    /// Whether it may be given more than once.
    var isRepeatable: Bool

    /// `--name`.
    static func flag(_ name: String, _ help: String) -> Option {
        Option(name: name, argument: .none, help: help, isRequired: false, isRepeatable: false)
    }

    /// `--name VALUE` or `--name=VALUE`.
    static func value(
        _ name: String, _ placeholder: String, _ help: String, required: Bool = false, repeatable: Bool = false
    ) -> Option {
        Option(
            name: name, argument: .value(placeholder), help: help, isRequired: required, isRepeatable: repeatable)
    }
}
