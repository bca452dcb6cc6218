import DaybookBase

/// Edits owned files, and can undo each file's last edit. Thread-safe.
package final class OwnedFileEdits: Sendable {
    private struct Change {
        /// `nil` if there was no file.
        var before: [UInt8]?
        var after: [UInt8]
    }

    private let changes = Mutex<[String: Change]>([:])

    package init() {}

    /// Edits a file's text, preserving consistent line endings.
    /// - Parameters:
    ///   - seen: the version the edit is based on.
    ///   - makesFolder: whether to create a missing folder.
    ///   - body: returns the new text for the current one, which is `nil` without a file, and an answer.
    /// - Returns: the answer, and the new text's version.
    /// - Throws: ``OwnedFile/Problem``, or what `body` throws; the file is then unchanged.
    package func edit<Answer: Sendable>(
        _ path: String, over seen: OwnedFile.Seen, makesFolder: Bool = false,
        _ body: (String?) throws -> (text: String, answer: Answer)
    ) throws -> (answer: Answer, version: String) {
        try OwnedFile.turn(of: path, makesFolder: makesFolder) { try edit(path, over: seen, in: $0, body) }
    }

    /// As above, for a holder of the folder's turn.
    package func edit<Answer: Sendable>(
        _ path: String, over seen: OwnedFile.Seen, in turn: FolderTurn,
        _ body: (String?) throws -> (text: String, answer: Answer)
    ) throws -> (answer: Answer, version: String) {
        let (answer, change) = try turn.edit(path, over: seen) { bytes in
            let before = bytes
            let former = try before.map { try OwnedFile.text($0, of: path) }
            let (text, answer) = try body(former)
            // A page's text has its own line endings.
            let after = former.flatMap(TextLines.end).map { TextLines.ending(text, $0) } ?? Array(text.utf8)
            bytes = after
            return (answer, Change(before: before, after: after))
        }
        changes.withLock { $0[path] = change }
        return (answer, OwnedFile.version(of: change.after))
    }

    /// Undoes the last edit: restores the former bytes, or removes a new file.
    /// - Parameters:
    ///   - version: of the edit's text; `nil` for the last edit, whichever it was.
    ///   - body: called with the restored text, `nil` for none, before it is written.
    /// - Returns: what `body` returns, and the restored text's version.
    /// - Throws: ``OwnedFile/Problem`` if there is no edit, or the file has changed since; or what `body` throws.
    package func undo<Answer: Sendable>(
        _ path: String, over version: String?, _ body: (String?) throws -> Answer
    ) throws -> (answer: Answer, version: String?) {
        guard let change = changes.withLock({ $0[path] }) else {
            throw OwnedFile.Problem(.missing, "Nothing was changed in \(path) that could be reverted.")
        }
        return try OwnedFile.edit(path) { bytes in
            guard bytes == change.after, version == nil || version == OwnedFile.version(of: change.after) else {
                throw OwnedFile.Problem(.conflict, "\(path) has been changed since; change it back by hand.")
            }
            let answer = try body(change.before.map { try OwnedFile.text($0, of: path) })
            bytes = change.before
            changes.withLock { $0[path] = nil }
            return (answer, change.before.map(OwnedFile.version))
        }
    }
}
