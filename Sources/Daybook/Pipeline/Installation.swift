import DaybookJournal

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// The identity of an installation: a random id, and the secret key for hashes of sensitive values.
///
/// Kept in the file `installation` beside the journal, or in a folder shared by an app's processes: two lines of 32
/// hexadecimal digits. If it cannot be kept, each launch is a new installation. A file that cannot be read now, as on a
/// locked phone, stays for later launches.
struct Installation: Sendable {
    let id: String
    let key: HashKey

    var text: String { "\(id)\n\(Hex.text(key.k0))\(Hex.text(key.k1))\n" }

    /// The store's installation; a new one if nothing is kept.
    /// - Parameter report: Told why this launch is a new installation although one exists or could.
    static func load(_ store: LogStore, report: (String) -> Void = { _ in }) -> Installation {
        guard store.memoryBytes == nil else { return random() }
        let place = Place(files: store.files, directory: store.installationDirectory)
        let found: Place.Content
        do throws(JournalFileError) { found = try place.content() } catch {
            report("The installation cannot be read, and this launch has one of its own: \(error).")
            return random()
        }
        switch found {
        case .known(let installation):
            place.tighten()
            return installation
        case .damaged: report("The installation is damaged, and a new one takes its place: \(place.path).")
        case .none: break
        }
        let installation = place.earlier ?? random()
        do throws(JournalFileError) { return try place.keep(installation) } catch {
            report("The installation cannot be kept, and each launch has one of its own: \(error).")
            return installation
        }
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

/// The file of an installation, in the store's file system.
private struct Place {
    enum Content {
        case known(Installation)
        case damaged
        case none

        var installation: Installation? { if case .known(let installation) = self { installation } else { nil } }
    }

    /// Attempts, a millisecond apart, while another process writes the file.
    private static let attempts = 100

    let files: any JournalFileSystem
    let directory: String

    var path: String { directory + "/installation" }

    /// - Throws: If the file may exist but cannot be read.
    func content() throws(JournalFileError) -> Content { try content(in: files) }

    /// Earlier versions always used the disk, whatever the store's file system.
    var earlier: Installation? { (try? content(in: JournalSystem.live.files))?.installation }

    private func content(in files: any JournalFileSystem) throws(JournalFileError) -> Content {
        let file: JournalFile
        do throws(JournalFileError) { file = try files.open(path, .read) } catch {
            guard error.code == ENOENT else { throw error }
            return .none
        }
        defer { files.close(file) }
        let text = String(decoding: try files.readPrefix(file, 128), as: UTF8.self)
        return Installation(text).map(Content.known) ?? .damaged
    }

    /// Earlier versions made the file readable for everybody, and did not prepare it. Only on the system's file system:
    /// others have no modes.
    func tighten() {
        guard files is PosixFileSystem, let file = try? files.open(path, .read) else { return }
        defer { files.close(file) }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_mode & 0o77 != 0, fchmod(file.descriptor, 0o600) == 0,
            let prepared = try? files.open(path, .readWriteCreating)
        else { return }
        files.close(prepared)
    }

    /// Keeps an installation and returns it, or the one of another process that was first.
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
            // Between open and lock, another process may have written this file and renamed it.
            if let known = try content().installation {
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
        return try content().installation ?? installation
    }
}
