/// Closes the file when the last reference goes. Another thread may still write to it or sync it, and a closed
/// descriptor is soon reused for another file.
final class OpenFile: Sendable {
    let file: JournalFile
    private let files: any JournalFileSystem

    init(_ path: String, _ mode: FileMode, _ files: any JournalFileSystem) throws(JournalFileError) {
        file = try files.open(path, mode)
        self.files = files
    }

    deinit { files.close(file) }

    var mark: FileMark? { files.mark(of: file) }
}
