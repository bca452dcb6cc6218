import DaybookBase
import DaybookDefinitions
import DaybookTools

/// What a command masks of the records that it prints: one rule for all of them, see ``MaskingPolicy``.
enum Masking {
    /// The switch that shows everything.
    static let flag = Option.flag("show-private", "print private values and credentials unmasked")
    /// The switch, and where private columns are defined.
    static let options = [
        flag,
        .value("definitions", "DIR", "mask what these definitions mark as private; default: the project's"),
    ]

    /// The policy; `nil` where the values themselves were asked for. Besides the columns of the definitions, those that
    /// a record's sender calls private are masked.
    /// - Throws: what is wrong with the definitions: with a column's mark unread, a private value would be shown.
    static func policy(_ arguments: Arguments) throws -> MaskingPolicy? {
        if arguments.has("show-private") { return nil }
        guard let source = try TeamFiles.source(arguments["definitions"]) else { return MaskingPolicy() }
        return MaskingPolicy(source.definitions)
    }
}
