import Foundation

/// Scans a folder's source code.
public enum SourceFiles {
    /// At most this many entries are visited, and files up to ``greatestSize`` bytes read.
    static let greatestCount = 200_000
    static let greatestSize = 4 << 20
    private static let extensions = ["swift", "kt", "kts", "java", "m", "mm", "ts", "tsx", "js"]
    /// The file name extensions, for people.
    public static let endings = extensions.map { ".\($0)" }.joined(separator: ", ")
    private static let passedOver: Set = [
        "Tests", "test", "androidTest", "DerivedData", "Pods", "Carthage", "node_modules", "build",
    ]

    /// Scans the source files of a folder and its subfolders, except hidden ones, builds and tests: a call in a test
    /// sends nothing from the app.
    ///
    /// - Returns: the number of files read.
    /// - Throws: ``DefinitionsFolder/ReadError`` if there is no such folder.
    @discardableResult
    public static func scan(_ folder: String, into calls: inout CallSites) throws -> Int {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw DefinitionsFolder.ReadError(path: folder, reason: "there is no such folder")
        }
        var open = [folder]
        var count = 0
        var read = 0
        while let next = open.popLast(), count < greatestCount {
            let names = ((try? FileManager.default.contentsOfDirectory(atPath: next)) ?? []).sorted()
            count += names.count
            for name in names where !name.hasPrefix(".") && !passedOver.contains(name) {
                let path = next == "." ? name : "\(next)/\(name)"
                if let attributes = try? FileManager.default.attributesOfItem(atPath: path) {
                    if attributes[.type] as? FileAttributeType == .typeDirectory {
                        open.append(path)
                    } else if extensions.contains((name as NSString).pathExtension),
                        (attributes[.size] as? Int ?? 0) <= greatestSize
                    {
                        calls.scan(file: path, bytes: try DefinitionsFolder.read([path])[0].bytes)
                        read += 1
                    }
                }
            }
        }
        return read
    }
}
