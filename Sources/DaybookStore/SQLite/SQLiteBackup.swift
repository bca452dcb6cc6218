import DaybookTools
import Foundation

/// Copies a snapshot of a store to a new file.
enum SQLiteBackup {
    static func write(_ connection: SQLiteConnection, to path: String) throws(StoreError) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw StoreError(.unavailable, "There is already a file \(path). Choose another name for the backup.")
        }
        let partial = path + ".partial"
        do throws(StoreError) {
            // Left by an interrupted backup.
            remove(partial)
            // SQLite accepts an empty file; one that it creates would be readable by all.
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
            // SQLite does not guarantee a sync here.
            try sync(partial)
        } catch {
            remove(partial)
            // The copy's disk is the full one.
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

    /// Removes an incomplete copy and SQLite's journal beside it.
    private static func remove(_ partial: String) {
        for path in [partial, partial + "-journal"] { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Syncs a file, or a folder's entries.
    private static func sync(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, DriveCache.flush(descriptor) else {
            throw StoreError(
                .storage, "The backup \(path) cannot be synced to the disk: \(String(cString: strerror(errno))).")
        }
    }
}
