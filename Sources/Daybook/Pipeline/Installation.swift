import Foundation

/// Who an installation is: a random id, and the secret under which sensitive values are hashed.
///
/// Kept in the file `installation` beside the journal: two lines of 32 hexadecimal digits. Where it cannot be kept, each
/// launch is an installation of its own.
struct Installation: Sendable, Hashable {
    let id: String
    let key: HashKey

    /// That of a store; where nothing is kept, a new one.
    static func load(_ store: LogStore) -> Installation {
        guard store.memoryBytes == nil else { return random() }
        let file = URL(fileURLWithPath: store.directory).appendingPathComponent("installation")
        if let text = try? String(contentsOf: file, encoding: .utf8), let installation = Installation(text) {
            return installation
        }
        let installation = random()
        let text = "\(installation.id)\n\(Hex.text(installation.key.k0))\(Hex.text(installation.key.k1))\n"
        try? FileManager.default.createDirectory(atPath: store.directory, withIntermediateDirectories: true)
        try? Data(text.utf8).write(to: file, options: .atomic)
        return installation
    }

    private static func random() -> Installation {
        var random = SystemRandomNumberGenerator()
        return Installation(
            id: Hex.text(random.next()) + Hex.text(random.next()), key: HashKey(random.next(), random.next()))
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
