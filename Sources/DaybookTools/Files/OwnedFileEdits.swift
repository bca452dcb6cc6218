import DaybookBase

/// Edits of files that people own, the last of each of which can be taken back. Safe to share between threads.
package final class OwnedFileEdits: Sendable {
    /// What an edit made of a file.
    private struct Change {
        /// `nil` where there was no file.
        var before: [UInt8]?
        var after: [UInt8]
    }

    private let changes = Mutex<[String: Change]>([:])

    package init() {}

    /// Changes the text of a file, whose lines go on ending as they do where they all end alike.
    /// - Parameters:
    ///   - seen: what the edit is made over.
    ///   - makesFolder: whether a folder that is missing is made.
    ///   - body: makes the new text of the present one, which is `nil` where there is no file, and an answer.
    /// - Returns: the answer, and the version of the new text.
    /// - Throws: ``OwnedFile/Problem``, or what `body` throws, and then the file is as it was.
    package func edit<Answer: Sendable>(
        _ path: String, over seen: OwnedFile.Seen, makesFolder: Bool = false,
        _ body: (String?) throws -> (text: String, answer: Answer)
    ) throws -> (answer: Answer, version: String) {
        try OwnedFile.turn(of: path, makesFolder: makesFolder) { try edit(path, over: seen, in: $0, body) }
    }

    /// The same, by who has the folder's turn.
    package func edit<Answer: Sendable>(
        _ path: String, over seen: OwnedFile.Seen, in turn: FolderTurn,
        _ body: (String?) throws -> (text: String, answer: Answer)
    ) throws -> (answer: Answer, version: String) {
        let (answer, change) = try turn.edit(path, over: seen) { bytes in
            let before = bytes
            let former = try before.map { try OwnedFile.text($0, of: path) }
            let (text, answer) = try body(former)
            // What a page sends has its own ends of lines.
            let after = former.flatMap(TextLines.end).map { TextLines.ending(text, $0) } ?? Array(text.utf8)
            bytes = after
            return (answer, Change(before: before, after: after))
        }
        changes.withLock { $0[path] = change }
        return (answer, OwnedFile.version(of: change.after))
    }

    /// Takes the last edit back: the file has the bytes that it had before, or is gone where there was none.
    /// - Parameters:
    ///   - version: of the text that the edit made; `nil` for whichever was the last.
    ///   - body: called with the text that comes back, `nil` for none, before it is written.
    /// - Returns: what `body` returns, and the version of that text.
    /// - Throws: ``OwnedFile/Problem`` where nothing was edited, or the file is another one by now; or what `body` throws.
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
