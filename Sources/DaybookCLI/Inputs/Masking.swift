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
        .value(
            "definitions", "DIR",
            "mask what these definitions mark as private; default: the project's, and those that the store was served with"
        ),
    ]

    /// The policy; `nil` if the values themselves were asked for. In addition to the columns of the definitions, those that
    /// a record's sender calls private are masked.
    /// - Throws: what is wrong with the definitions: with a column's mark unread, a private value would be shown.
    static func policy(_ arguments: Arguments) throws -> MaskingPolicy? {
        if arguments.has("show-private") { return nil }
        guard let source = try TeamFiles.source(arguments["definitions"]) else { return MaskingPolicy() }
        return MaskingPolicy(source.definitions)
    }

    /// The policy for the records of a store: unless definitions are named, also what it was last served with.
    /// - Throws: what is wrong with the definitions, or with the store.
    static func policy(_ arguments: Arguments, ofStore store: String) async throws -> MaskingPolicy? {
        guard let policy = try policy(arguments) else { return nil }
        guard arguments["definitions"] == nil,
            let stored = try await StoreAddress.open(store, access: .readOnly).storedMasking()
        else { return policy }
        return policy.union(stored)
    }

    /// What statements do not see; `nil` if they see all.
    /// - Parameter store: that they are for; `nil` where it is not known, or a collector's.
    /// - Throws: what is wrong with definitions that are named, or with the store.
    static func ofStatements(_ arguments: Arguments, for store: String?) async throws -> MaskingPolicy? {
        if arguments.has("show-private") { return nil }
        if let store { return try await policy(arguments, ofStore: store) }
        if arguments["definitions"] != nil { return try policy(arguments) }
        return (try? policy(arguments)) ?? MaskingPolicy()
    }
}
