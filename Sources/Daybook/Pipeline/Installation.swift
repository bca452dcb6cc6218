import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Who an installation is: a random id, and the secret under which sensitive values are hashed.
///
/// Kept in the file `installation` beside the journal, or in a folder that the processes of an app share: two lines of 32
/// hexadecimal digits. If it cannot be kept, each launch is a new installation.
struct Installation: Sendable {
    let id: String
    let key: HashKey

    /// What its file says.
    var text: String { "\(id)\n\(Hex.text(key.k0))\(Hex.text(key.k1))\n" }

    /// That of a store; where nothing is kept, a new one.
    static func load(_ store: LogStore) -> Installation {
        guard store.memoryBytes == nil else { return random() }
        let file = URL(fileURLWithPath: store.installationDirectory).appendingPathComponent("installation")
        if let known = Installation(at: file) { return known }
        let installation = random()
        try? FileManager.default.createDirectory(
            atPath: store.installationDirectory, withIntermediateDirectories: true)
        // Another process may be doing the same: the first file stays, and both have what is in it. A damaged one goes.
        let draft = file.appendingPathExtension(installation.id)
        try? installation.text.write(to: draft, atomically: false, encoding: .utf8)
        if link(draft.path, file.path) != 0, Installation(at: file) == nil { rename(draft.path, file.path) }
        unlink(draft.path)
        return Installation(at: file) ?? installation
    }

    private init?(at file: URL) {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
        self.init(text)
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
        let (id, key) = (text.prefix(32), text.dropFirst(33).prefix(32))
        guard Hex.word(id.prefix(16)) != nil, Hex.word(id.suffix(16)) != nil, let k0 = Hex.word(key.prefix(16)),
            let k1 = Hex.word(key.suffix(16)), text == "\(id)\n\(key)\n"
        else { return nil }
        self.init(id: String(id), key: HashKey(k0, k1))
    }
}
