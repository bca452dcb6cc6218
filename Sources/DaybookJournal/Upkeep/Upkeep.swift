/// The state of the slow work. Its mutex is held during syncs.
struct Upkeep: Sendable {
    /// The directory's lock, while this process holds it.
    var lock: JournalFile?
    /// The state in which `journal.id` was last verified.
    var identityMark: FileMark?
    /// When unsynced bytes were first seen.
    var dirtySince: UInt64?
    /// A failed sync or disk is not retried before this.
    var retryAt: UInt64 = 0
    var retryDelay: UInt64 = Upkeep.firstDelay
    /// Dead writers' journals that are not yet adopted.
    var orphans: [Orphan] = []
    /// Earlier launches' ring files, kept until segment files have their frames.
    var oldRings: [String] = []
    /// Whether the released directory is to be reacquired.
    var isReturning = false
    /// How far the ring's pages are prefaulted.
    var warmed: (generation: Int, position: Int) = (0, 0)

    private static let firstDelay: UInt64 = 1_000_000_000
    private static let longestDelay: UInt64 = 60_000_000_000

    mutating func noteFailure(at now: UInt64) {
        retryAt = now &+ retryDelay
        retryDelay = min(retryDelay * 2, Self.longestDelay)
    }

    mutating func noteSuccess() {
        retryAt = 0
        retryDelay = Self.firstDelay
    }
}
