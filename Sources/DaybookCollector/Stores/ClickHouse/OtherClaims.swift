import DaybookStore

/// What other commits have claimed of what a commit is about to store, as it stands after the commit's own claim.
struct OtherClaims {
    /// A commit's claim on records of a stream.
    struct Rival {
        var commit: String
        var firstID: Int64
        /// Of the records with the arrival numbers from ``firstID`` on.
        var sequences: [Int64]
    }

    /// What ended commits have settled, by stream: their rows are there.
    var settled: [String: IntervalSet] = [:]
    /// Of commits that have not ended, by stream.
    var rivals: [String: [Rival]] = [:]
    /// The largest arrival number that others have claimed, of those from the claim's first on, or 0.
    var newest: Int64 = 0
}
