/// Schedules of the slow work. Its mutex is held while files are synced.
struct Upkeep: Sendable {
    /// Holds the directory; released by `close`.
    var lock: JournalFile?
    /// How the file with the journal's id was left.
    var identityMark: FileMark?
    /// When unsynced bytes were first seen.
    var dirtySince: UInt64?
    /// Not before this may a failed sync or a failed disk be tried again.
    var retryAt: UInt64 = 0
    var retryDelay: UInt64 = Upkeep.firstDelay
    /// Journals of dead writers, from which records are still to be taken.
    var orphans: [Orphan] = []
    /// Rings of earlier launches whose frames are in memory, until a file has them.
    var oldRings: [String] = []
    /// Whether a directory that was let go is to be had again.
    var isReturning = false
    /// Through where the pages of the ring of a generation are ready.
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
