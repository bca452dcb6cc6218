/// What is told of one checklist: a run of it in full, and the board of all its runs.
struct ChecklistView: Sendable {
    /// A run on the board.
    struct Entry: Sendable {
        var note: RunNote
        /// How many items stand how, by their state's name.
        var counts: [String: Int]
        var isUnderWay: Bool
    }

    /// The run that is shown.
    let shown: JudgedChecklist
    /// The runs that were signed off, the latest of each tester and persona, and then those under way.
    let board: [Entry]

    /// - Parameters:
    ///   - judged: the checklist with its own run.
    ///   - runs: those of installations, of all checklists.
    ///   - chosen: the one that is shown, if it is one of this checklist.
    init(_ judged: JudgedChecklist, runs: [InstallationRun], chosen: InstallationRun? = nil) {
        shown = chosen.flatMap { $0.checklist == judged.id ? $0.judged : nil } ?? judged
        let signed = judged.signedRuns.map { Entry(note: $0, counts: $0.counts, isUnderWay: false) }
        var underWay = runs.filter { $0.checklist == judged.id }.map(\.judged)
        // A run of nobody as no one has no place on the board.
        let hasName = judged.label?.persona != nil || judged.label?.tester != nil
        if judged.signature == nil, hasName { underWay.append(judged) }
        board =
            signed
            + underWay.compactMap { run in
                run.label.map { Entry(note: $0, counts: run.counts, isUnderWay: true) }
            }
    }
}
