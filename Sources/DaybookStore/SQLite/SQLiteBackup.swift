import Foundation

/// Copies a store into a new file while it is in use.
enum SQLiteBackup {
    /// - Throws: ``StoreError``.
    static func write(_ connection: SQLiteConnection, to path: String) throws(StoreError) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw StoreError(.unavailable, "There is already a file \(path). Choose another name for the backup.")
        }
        let partial = path + ".partial"
        do throws(StoreError) {
            // What an interrupted backup left behind.
            try? FileManager.default.removeItem(atPath: partial)
            // SQLite takes an empty file, and would make its own readable to all.
            guard
                FileManager.default.createFile(
                    atPath: partial, contents: nil, attributes: [.posixPermissions: 0o600])
            else {
                throw StoreError(
                    .unavailable, "The backup \(partial) cannot be made. Check that its folder exists and is yours.")
            }
            let statement = try SQLiteStatement("VACUUM INTO ?", on: connection)
            statement.bind(1, partial)
            while try statement.step() {}
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
        do {
            try FileManager.default.moveItem(atPath: partial, toPath: path)
        } catch {
            throw StoreError(.storage, "The backup \(partial) cannot be named \(path): \(error.localizedDescription)")
        }
    }
}
