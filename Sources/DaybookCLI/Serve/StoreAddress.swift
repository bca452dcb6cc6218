import DaybookStore

/// Which store a command works on: `sqlite:PATH`, or a bare path.
enum StoreAddress {
    /// Opens the store.
    /// - Throws: ``UsageError`` for an address of a kind that is not known, or what the store says.
    static func open(_ address: String, access: SQLiteStore.Access) throws -> SQLiteStore {
        if let scheme = address.firstIndex(of: ":").map({ address[..<$0] }), !scheme.contains("/") {
            guard scheme == "sqlite" else {
                throw UsageError(
                    message: "no store of the kind `\(scheme)` is known", hint: "this version knows sqlite:PATH")
            }
            return try SQLiteStore(path: String(address.dropFirst("sqlite:".count)), access: access)
        }
        return try SQLiteStore(path: address, access: access)
    }
}
