import DaybookBase

/// Who owns the journal's directory.
enum Presence: UInt8, AtomicWord {
    /// This process: it holds the lock.
    case here
    /// Nobody, as far as known: this process released the lock.
    case away
    /// Another process, which has opened it since.
    case takenOver
    /// The parent: this process was forked from the lock's holder.
    case parents
}

/// A journal's directory, and whether this process may change it. Thread-safe.
final class JournalDirectory: Sendable {
    let path: String
    let system: JournalSystem
    /// `nil` if the directory was unusable at the open.
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

    /// The files, if this process may change them.
    var files: JournalFiles? { presence.load(ordering: .acquiring) == .here ? opened : nil }

    /// The files, even while the lock is released. `resume` notices if another process changed them.
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

    /// Makes the next housekeeping look for missing or changed files.
    func missFile() { isFileMissed.store(true, ordering: .relaxed) }

    /// Whether to look for missing files; resets the flag.
    func takeMissedFile() -> Bool { isFileMissed.exchange(false, ordering: .relaxed) }

    /// Removes a file in the way. Not overwritten, because it may be a link to another file.
    func clear(_ path: String) {
        guard case .file = system.files.look(at: path) else { return }
        try? system.files.remove(path)  // if it stays, the open fails and reports it
    }
}
