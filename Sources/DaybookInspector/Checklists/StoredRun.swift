import DaybookStore

/// A run as its records of the kind *run* tell of it: where it starts, and where it ends.
struct StoredRun: Sendable {
    /// The start, whose number is the run's id.
    var start: RunNote
    /// When and at which arrival number it ended; `nil` while it goes on.
    var end: (time: Int64, number: Int64)?

    var id: Int64 { start.number }
    var scenario: String? { start.scenario }
    /// Whose records the run is made of; `nil` for everyone's.
    var installation: String? { start.installation }

    /// The run that begins with a record; `nil` for one that begins none.
    init?(_ record: StoredRecord) {
        guard record.row.kind == .run, let note = RunNote(StoredChecklistRecord(record)), note.edge == .start else {
            return nil
        }
        start = note
    }

    /// Takes a later record of the kind *run*: a finish that names this run ends it, and so does a marker of the same
    /// checklist and installation that names none.
    mutating func observe(_ record: StoredRecord) {
        guard end == nil, record.id > id, let note = RunNote(StoredChecklistRecord(record)) else { return }
        if note.ends(start) { end = (record.row.time, record.id) }
    }
}
