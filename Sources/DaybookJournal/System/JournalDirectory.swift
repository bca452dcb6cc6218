import DaybookBase

/// What this process has of a journal's directory.
enum Presence: UInt8, AtomicWord {
    /// The lock.
    case here
    /// It released the lock, and nobody else has come as far as is known.
    case away
    /// Another process has opened the directory since, and owns everything in it.
    case takenOver
    /// This process was forked from the one that has the lock: it owns nothing here.
    case parents
}

/// A journal's directory, and whether this process may change it.
///
/// Safe to share.
final class JournalDirectory: Sendable {
    /// The directory given at the open, or a sub-directory if another process has that.
    let path: String
    let system: JournalSystem
    /// `nil` where the directory could not be used at the open.
    private let opened: JournalFiles?
    private let presence = Atomic(Presence.here)
    private let isFileMissed = Atomic(false)

    init(_ path: String, opened: JournalFiles?, system: JournalSystem) {
        self.path = path
        self.opened = opened
        self.system = system
        presence.setInChildren(.parents)
    }

    deinit { presence.forgetInChildren() }

    /// The files, where this process may change them.
    var files: JournalFiles? { presence.load(ordering: .acquiring) == .here ? opened : nil }

    /// The files, also while the lock is released: nobody else has changed them, or the next `resume` notices.
    var ownFiles: JournalFiles? {
        switch presence.load(ordering: .acquiring) {
        case .here, .away: opened
        case .takenOver, .parents: nil
        }
    }

    var isAway: Bool { presence.load(ordering: .relaxed) == .away }
    var isTakenOver: Bool { presence.load(ordering: .relaxed) == .takenOver }
    var isParents: Bool { presence.load(ordering: .relaxed) == .parents }

    func set(_ presence: Presence) { self.presence.store(presence, ordering: .releasing) }

    /// Notes that somebody seems to have removed or changed a file: the next housekeeping looks.
    func missFile() { isFileMissed.store(true, ordering: .relaxed) }

    /// Whether a file seems to be missing; asks once.
    func takeMissedFile() -> Bool { isFileMissed.exchange(false, ordering: .relaxed) }

    /// Removes whatever takes a file's place. It is not overwritten: it may be a link to another file.
    func clear(_ path: String) {
        guard case .file = system.files.look(at: path) else { return }
        try? system.files.remove(path)  // what stays makes the open fail, which is told
    }
}
