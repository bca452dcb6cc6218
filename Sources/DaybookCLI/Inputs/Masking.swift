import DaybookBase
import DaybookDefinitions
import DaybookTools

/// The masking of printed records, the same for all commands; see ``MaskingPolicy``.
enum Masking {
    static let flag = Option.flag("show-private", "print private values and credentials unmasked")
    static let options = [
        flag,
        .value(
            "definitions", "DIR",
            "mask what these definitions mark as private; default: the project's, and those that the store was served with"
        ),
    ]

    /// The policy; `nil` with `--show-private`. Besides the definitions' columns, it masks those that a record's sender
    /// marks as private.
    /// - Throws: the definitions' errors: without a column's mark, a private value would be shown.
    static func policy(_ arguments: Arguments) throws -> MaskingPolicy? {
        if arguments.has("show-private") { return nil }
        guard let source = try TeamFiles.source(arguments["definitions"]) else { return MaskingPolicy() }
        return MaskingPolicy(source.definitions)
    }

    /// The policy for a store; unless definitions are given, it includes those the store was last served with.
    /// - Throws: the definitions' or the store's errors.
    static func policy(_ arguments: Arguments, ofStore store: String) async throws -> MaskingPolicy? {
        guard let policy = try policy(arguments) else { return nil }
        guard arguments["definitions"] == nil,
            let stored = try await StoreAddress.open(store, access: .readOnly).storedMasking()
        else { return policy }
        return policy.union(stored)
    }

    /// What statements cannot see; `nil` if they see everything.
    /// - Parameter store: `nil` if unknown or a collector's.
    /// - Throws: errors of given definitions, or of the store.
    static func ofStatements(_ arguments: Arguments, for store: String?) async throws -> MaskingPolicy? {
        if arguments.has("show-private") { return nil }
        if let store { return try await policy(arguments, ofStore: store) }
        if arguments["definitions"] != nil { return try policy(arguments) }
        return (try? policy(arguments)) ?? MaskingPolicy()
    }
}
