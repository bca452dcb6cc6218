import Foundation

/// Who an installation is: a random id, and the secret under which sensitive values are hashed.
///
/// Kept in the file `installation` beside the journal: two lines of 32 hexadecimal digits. Where it cannot be kept, each
/// launch is an installation of its own.
struct Installation: Sendable, Hashable {
    let id: String
    let key: HashKey

    static func load(directory: String) -> Installation {
        let file = URL(fileURLWithPath: directory).appendingPathComponent("installation")
        if let text = try? String(contentsOf: file, encoding: .utf8), let installation = Installation(text) {
            return installation
        }
        var random = SystemRandomNumberGenerator()
        let words = (0..<4).map { _ in random.next() }
        let text = Hex.text(words[0]) + Hex.text(words[1]) + "\n" + Hex.text(words[2]) + Hex.text(words[3]) + "\n"
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try? Data(text.utf8).write(to: file, options: .atomic)
        return Installation(id: Hex.text(words[0]) + Hex.text(words[1]), key: HashKey(words[2], words[3]))
    }

    private init(id: String, key: HashKey) {
        self.id = id
        self.key = key
    }

    private init?(_ text: String) {
        let lines = text.split(separator: "\n")
        guard lines.count == 2, lines.allSatisfy({ $0.utf8.count == 32 }),
            let k0 = UInt64(lines[1].prefix(16), radix: 16), let k1 = UInt64(lines[1].suffix(16), radix: 16),
            lines[0].allSatisfy(\.isHexDigit)
        else { return nil }
        self.init(id: String(lines[0]), key: HashKey(k0, k1))
    }
}
