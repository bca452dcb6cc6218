import DaybookJournal

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
        let place = Place(files: store.files, directory: store.installationDirectory)
        if let known = place.installation {
            place.tighten()
            return known
        }
        let installation = place.earlier ?? random()
        return (try? place.keep(installation)) ?? installation
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

    fileprivate init?(_ text: String) {
        let (id, key) = (text.prefix(32), text.dropFirst(33).prefix(32))
        guard Hex.word(id.prefix(16)) != nil, Hex.word(id.suffix(16)) != nil, let k0 = Hex.word(key.prefix(16)),
            let k1 = Hex.word(key.suffix(16)), text == "\(id)\n\(key)\n"
        else { return nil }
        self.init(id: String(id), key: HashKey(k0, k1))
    }
}

/// Where an installation is kept: a file of the store's own file system.
private struct Place {
    /// How often, a millisecond apart, a process looks for the file that another is writing.
    private static let attempts = 100

    let files: any JournalFileSystem
    let directory: String

    private var path: String { directory + "/installation" }

    /// The one that is there; `nil` for none, and for a damaged one.
    var installation: Installation? { installation(in: files) }

    /// The one that earlier versions kept on the disk, whatever the store's file system was.
    var earlier: Installation? { installation(in: JournalSystem.live.files) }

    private func installation(in files: any JournalFileSystem) -> Installation? {
        guard let file = try? files.open(path, .read) else { return nil }
        defer { files.close(file) }
        return (try? files.readPrefix(file, 128)).flatMap { Installation(String(decoding: $0, as: UTF8.self)) }
    }

    /// Earlier versions let everybody read the file, and did not have it prepared.
    func tighten() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & 0o77 != 0, chmod(path, 0o600) == 0,
            let file = try? files.open(path, .readWriteCreating)
        else { return }
        files.close(file)
    }

    /// Keeps an installation, unless another process was first, whose it then is.
    func keep(_ installation: Installation) throws(JournalFileError) -> Installation {
        try files.createDirectory(directory)
        let draft = path + ".new"
        for _ in 0..<Self.attempts {
            let file = try files.open(draft, .readWriteCreating)
            defer { files.close(file) }
            guard try files.lock(file) else {
                JournalSystem.live.pause(1_000_000)
                continue
            }
            // Between the opening and the lock, another may have written this very file and given it its name.
            if let known = self.installation {
                try? files.remove(draft)
                return known
            }
            try files.truncate(file, bytes: 0)
            try files.writeAll(file, Array(installation.text.utf8), at: 0)
            try files.sync(file, .full)
            try files.rename(draft, to: path)
            try files.syncDirectory(directory)
            tighten()
            return installation
        }
        return self.installation ?? installation
    }
}
