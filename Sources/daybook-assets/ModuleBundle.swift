import Foundation

/// Joins JavaScript modules into one script: a browser that fetches some seventy of them spends longer on the requests
/// than on the page.
///
/// Each module becomes a function whose result is what it exports, after those that it imports. Understood is what the
/// page's modules use: imports of names or of the default from a relative path, on one line each; exports of a function,
/// a class, a constant or the default before its declaration. Anything else is an error.
struct ModuleBundle {
    typealias File = (path: String, text: String)

    private let texts: [String: String]
    private var sections: [String] = []
    private var names: [String: String] = [:]
    /// The modules whose imports are being followed: the way to the present one.
    private var trail: [String] = []

    /// The script that starts with the module `entry`, a path among those of `files`.
    static func script(from entry: String, of files: [File]) throws -> String {
        var bundle = ModuleBundle(texts: Dictionary(uniqueKeysWithValues: files))
        _ = try bundle.add(entry, namedAt: entry)
        return bundle.sections.joined(separator: "\n")
    }

    private init(texts: [String: String]) {
        self.texts = texts
    }

    /// The name of what the module at `path` exports; its section is written if it was not yet.
    private mutating func add(_ path: String, namedAt place: String) throws -> String {
        if let name = names[path] { return name }
        guard !trail.contains(path) else {
            throw AssetEmbedding.Failure(
                description: "\(place): the modules \((trail + [path]).joined(separator: " → ")) import one another")
        }
        guard let text = texts[path] else {
            throw AssetEmbedding.Failure(description: "\(place): there is no module \(path)")
        }
        trail.append(path)
        var exports: [String] = []
        var body: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            body.append(try rewritten(String(line), at: "\(path):\(index + 1)", exports: &exports))
        }
        trail.removeLast()
        let name = "module\(names.count + 1)"
        names[path] = name
        let result = exports.isEmpty ? "" : "\nreturn { \(exports.joined(separator: ", ")) };"
        sections.append("// \(path)\nconst \(name) = (() => {\n\(body.joined(separator: "\n"))\(result)\n})();\n")
        return name
    }

    private mutating func rewritten(_ line: String, at place: String, exports: inout [String]) throws -> String {
        if let match = line.wholeMatch(of: /import (?:\{ ([^}]+) \}|(\w+)) from "([^"]+)";/) {
            let path = URL(filePath: "/" + place).deletingLastPathComponent().appending(path: String(match.3))
            let module = try add(String(path.standardizedFileURL.path.dropFirst()), namedAt: place)
            let names = match.1.map { $0.replacing(" as ", with: ": ") } ?? "default: \(match.2 ?? "")"
            return "const { \(names) } = \(module);"
        }
        if line.starts(with: "export default ") {
            exports.append("default: exported")
            return "const exported = \(line.dropFirst("export default ".count))"
        }
        if let match = line.prefixMatch(of: /export (?:async )?(?:function\*?|class|const) (\w+)/) {
            exports.append(String(match.1))
            return String(line.dropFirst("export ".count))
        }
        guard !line.starts(with: /(?:import|export)\b/) else {
            throw AssetEmbedding.Failure(
                description: "\(place): not understood: \(line); write import { a, b as c } from \"./path.js\"; or "
                    + "export before a function, class, const or default")
        }
        return line
    }
}
