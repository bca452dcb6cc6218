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
            remove(partial)
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
            // SQLite does not promise to wait for the disk here.
            try sync(partial)
        } catch {
            remove(partial)
            // What fills is the disk of the copy.
            let full = ("The disk is full (\(connection.path))", "The disk is full (\(partial))")
            throw StoreError(error.code, error.message.replacing(full.0, with: full.1))
        }
        do {
            try FileManager.default.moveItem(atPath: partial, toPath: path)
        } catch {
            throw StoreError(.storage, "The backup \(partial) cannot be named \(path): \(error.fileReason)")
        }
        try sync(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Removes a copy that is not whole, and what SQLite has beside it.
    private static func remove(_ partial: String) {
        for path in [partial, partial + "-journal"] { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Waits until the disk has a file, or the names in a folder.
    private static func sync(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw StoreError(
                .storage, "The backup \(path) cannot be brought to the disk: \(String(cString: strerror(errno))).")
        }
    }
}
