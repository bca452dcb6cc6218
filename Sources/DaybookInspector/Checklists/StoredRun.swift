import DaybookStore

/// A run as its records of the kind *run* tell of it: where it starts, and where it ends.
struct StoredRun: Sendable {
    /// The start, whose number is the run's id.
    var start: RunNote
    /// The only scenario that is run; `nil` for all.
    var scenario: String?
    /// Whose records the run is made of; `nil` for everyone's.
    var installation: String?
    /// When and at which arrival number it ended; `nil` while it goes on.
    var end: (time: Int64, number: Int64)?

    var id: Int64 { start.number }

    /// The run that begins with a record; `nil` for one that begins none.
    init?(_ record: StoredRecord) {
        let seen = StoredChecklistRecord(record)
        guard record.row.kind == .run, let note = RunNote(seen), note.edge == .start else { return nil }
        start = note
        installation = record.row.installation
        if case .text(let name)? = seen.value(of: "scenario"), !name.isEmpty { scenario = name }
    }

    /// Takes a later record of the kind *run*: a finish that names this run ends it, and so does a marker of the same
    /// checklist and installation that names none.
    mutating func observe(_ record: StoredRecord) {
        let seen = StoredChecklistRecord(record)
        guard end == nil, record.id > id, let note = RunNote(seen) else { return }
        let isEnd: Bool
        if case .text(let named)? = seen.value(of: "run") {
            isEnd = note.edge == .finish && named == String(id)
        } else {
            isEnd =
                record.row.installation == installation && note.title == start.title
                && (note.id == nil || start.id == nil || note.id == start.id)
        }
        if isEnd { end = (record.row.time, record.id) }
    }
}
