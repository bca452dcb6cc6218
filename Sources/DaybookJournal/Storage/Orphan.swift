/// What a dead writer left in a sub-directory, while it is taken over.
struct Orphan: Sendable {
    let files: JournalFiles
    /// Open, and so locked, from the first look on.
    var journal: Journal?
    /// Everything through this was copied, in this launch.
    var copied: UInt64 = 0
}
