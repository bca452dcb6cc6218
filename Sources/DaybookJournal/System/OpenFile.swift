/// A file that stays open for as long as anybody holds this. Whoever lets go last closes it: what one thread is done with
/// may be what another writes to or syncs at this moment, and a descriptor that is closed is soon somebody else's file.
final class OpenFile: Sendable {
    let file: JournalFile
    private let files: any JournalFileSystem

    init(_ path: String, _ mode: FileMode, _ files: any JournalFileSystem) throws(JournalFileError) {
        file = try files.open(path, mode)
        self.files = files
    }

    deinit { files.close(file) }

    /// Which file it is, and how it was changed last.
    var mark: FileMark? { files.mark(of: file) }
}
