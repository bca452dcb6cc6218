import Foundation

/// Reads definition files from the disk.
public struct DefinitionsFolder {
    /// Why nothing was read.
    public struct ReadError: Error, Sendable, CustomStringConvertible {
        /// The folder or file.
        public let path: String
        /// What happened, and what to do.
        public let reason: String

        public var description: String { "\(path): \(reason)" }
    }

    /// Reads and checks the definitions in a folder.
    ///
    /// - Parameter path: A folder, of which every `.md` file but `README.md` is read (not those of folders inside it),
    ///   or a single Markdown file.
    /// - Throws: ``ReadError`` if there is no such folder, it holds no definitions, or a file cannot be read.
    public static func load(_ path: String) throws -> (Definitions, [Diagnostic]) {
        Definitions.load(try read(files(in: path)))
    }

    /// The definition files in a folder, ordered by name; a file stands for itself.
    ///
    /// - Throws: ``ReadError``.
    public static func files(in path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ReadError(path: path, reason: "there is no such file or folder")
        }
        guard isFolder.boolValue else { return [path] }
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw ReadError(path: path, reason: "the folder cannot be read: \(error.localizedDescription)")
        }
        let files = names.filter(isDefinition).sorted()
        guard !files.isEmpty else {
            throw ReadError(path: path, reason: "the folder holds no definitions; a definition is a file `category.md`")
        }
        return files.map { (path as NSString).appendingPathComponent($0) }
    }

    /// Whether a file of this path or name defines events.
    static func isDefinition(_ path: String) -> Bool {
        let name = (path as NSString).lastPathComponent
        return name.hasSuffix(".md") && name.lowercased() != "readme.md" && !name.hasPrefix(".")
    }

    /// The bytes of files.
    ///
    /// - Throws: ``ReadError``.
    public static func read(_ paths: [String]) throws -> [(path: String, bytes: [UInt8])] {
        try paths.map { path in
            do { return (path, [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))) } catch {
                throw ReadError(path: path, reason: "the file cannot be read: \(error.localizedDescription)")
            }
        }
    }
}
