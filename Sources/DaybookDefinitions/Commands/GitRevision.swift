import Foundation

/// The definition files of a revision, read through the command `git`. The working tree is not touched.
struct GitRevision {
    /// A commit, branch or tag, in any spelling that git knows.
    let name: String
    /// What the user wrote, for errors.
    let label: String
    /// Where git runs, and what folders are relative to.
    var directory = FileManager.default.currentDirectoryPath

    /// The definition files in a folder.
    ///
    /// - Throws: ``DefinitionsFolder/ReadError`` outside a repository, without git, or where the revision has no
    ///   definitions there.
    func files(in folder: String) throws -> [(path: String, bytes: [UInt8])] {
        guard !name.isEmpty, !name.hasPrefix("-") else { throw error("a revision is missing: git:REVISION[:FOLDER]") }
        let commit = try git(["rev-parse", "--verify", "--quiet", name + "^{commit}"]) { message in
            message.isEmpty ? "git knows no revision `\(name)`" : message
        }
        let id = String(decoding: commit, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let path = folder.hasSuffix(".md") ? folder : folder + (folder.hasSuffix("/") ? "" : "/")
        let listing = try git(["ls-tree", "-l", "-z", id, "--", path]) { $0 }
        let blobs = listing.split(separator: 0).compactMap(Blob.init).filter { DefinitionsFolder.isDefinition($0.path) }
        guard !blobs.isEmpty else { throw error("the revision has no definitions in \(folder)") }
        var files: [(path: String, bytes: [UInt8])] = []
        // Many at once, but no more than a command line takes.
        for start in stride(from: 0, to: blobs.count, by: 500) {
            let part = blobs[start..<min(start + 500, blobs.count)]
            var bytes = try git(["show"] + part.map(\.id)) { $0 }[...]
            for blob in part {
                guard bytes.count >= blob.size else { throw error("git gave less than it announced") }
                files.append((path: "\(label):\(blob.path)", bytes: Array(bytes.prefix(blob.size))))
                bytes = bytes.dropFirst(blob.size)
            }
        }
        return files
    }

    /// A line of `git ls-tree -l`: mode, type, id, size, a tab, and the path.
    private struct Blob {
        let id: String
        let size: Int
        let path: String

        init?(_ line: ArraySlice<UInt8>) {
            guard let tab = line.firstIndex(of: .tab) else { return nil }
            let words = line[..<tab].split(separator: .space).map { String(decoding: $0, as: UTF8.self) }
            guard words.count == 4, words[1] == "blob", let size = Int(words[3]) else { return nil }
            (id, self.size, path) = (words[2], size, String(decoding: line[(tab + 1)...], as: UTF8.self))
        }
    }

    private func error(_ reason: String) -> DefinitionsFolder.ReadError {
        DefinitionsFolder.ReadError(path: label, reason: reason)
    }

    #if os(macOS) || os(Linux)
        /// Runs git.
        ///
        /// - Parameter explain: The reason for a failure, made of what git said.
        private func git(_ arguments: [String], explain: (String) -> String) throws -> [UInt8] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["git"] + arguments
            let (output, errors) = (Pipe(), Pipe())
            process.currentDirectoryURL = URL(fileURLWithPath: directory, isDirectory: true)
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = errors
            do { try process.run() } catch { throw self.error("git cannot be run: \(error.localizedDescription)") }
            let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
            // Git says little when it fails: it fits the pipe.
            let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw error(explain(message.trimmingCharacters(in: .whitespacesAndNewlines)))
            }
            return bytes
        }
    #else
        private func git(_ arguments: [String], explain: (String) -> String) throws -> [UInt8] {
            throw error("there is no git on this system")
        }
    #endif
}
