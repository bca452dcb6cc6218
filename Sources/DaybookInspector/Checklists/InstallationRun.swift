import DaybookStore

/// A run that is made of one installation's records, so that several go on side by side: a phone each, or a job each.
struct InstallationRun: Sendable {
    /// The checklist's id.
    let checklist: String
    let installation: String
    private(set) var judged: JudgedChecklist

    /// The number of the run's start.
    var id: Int64 { judged.startsAfter }

    /// The run that a marker starts; `nil` for a marker that names no installation.
    init?(_ note: RunNote, of checklist: JudgedChecklist) {
        guard note.edge == .start, let installation = note.installation else { return nil }
        self.checklist = checklist.id
        self.installation = installation
        judged = checklist.narrowed(to: note.scenario)
        judged.begin(note)
    }

    /// Takes a record, if it is the installation's.
    mutating func observe(_ record: StoredChecklistRecord, installation: String?) {
        if installation == self.installation { judged.observe(record) }
    }

    /// How many items stand how, by their state's name.
    var counts: [String: Int] { judged.counts }
}
