import DaybookInspector
import Foundation

/// A file that keeps the inspector's token between starts, readable by its owner alone.
enum TokenFile {
    /// The token of the file, which is made if it is missing.
    /// - Throws: ``InputError`` if it cannot be read or made, or holds something else.
    static func token(_ path: String) throws -> AccessToken {
        // Only what is not there is made: anything else belongs to somebody.
        if FileManager.default.fileExists(atPath: path) {
            let text = try TextFile.read(path)
            guard let token = AccessToken(text: text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                throw InputError(
                    file: path, message: "holds no token; name another file, or delete this one, and a new one is made")
            }
            return token
        }
        let token = AccessToken()
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data((token.text + "\n").utf8), attributes: [.posixPermissions: 0o600])
        else { throw InputError(file: path, message: "cannot be written: \(String(cString: strerror(errno)))") }
        return token
    }
}
