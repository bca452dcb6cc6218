import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools

/// A run from its records of kind *run*: start, end and sign-off.
package struct StoredRun: Sendable {
    /// The start; its number is the run's id.
    package var start: RunMarker
    /// The end's time and arrival number; `nil` while running.
    package private(set) var end: (time: Int64, number: Int64)?
    /// The first sign-off; `nil` before.
    package private(set) var signOff: SignOffNote?

    package func seen(by audience: VerdictAudience) -> StoredRun {
        var run = self
        run.signOff = signOff?.seen(by: audience)
        return run
    }

    package var id: Int64 { start.number }
}

extension StoredRun {
    /// `nil` if the record does not start a run.
    package init?(_ record: StoredRecord) {
        guard record.row.kind == .run, let marker = RunMarker(JSONChecklistRecord(record)), marker.edge == .start else {
            return nil
        }
        start = marker
    }

    /// Applies a later record of kind *run*: the run's end or sign-off.
    package mutating func observe(_ record: StoredRecord) {
        guard record.id > id else { return }
        if let note = SignOffNote(record) {
            if note.signs(start), signOff == nil { signOff = note }
        } else if end == nil, let marker = RunMarker(JSONChecklistRecord(record)), marker.ends(start) {
            end = (record.row.time, record.id)
        }
    }
}

extension StoredRun {
    /// Without its number at the end, and without its name.
    package static let form = Form<StoredRun>.object(
        "StoredRun", .init("id", .integer, \.id),
        FormField("checklist", .text) { $0.start.checklistID ?? $0.start.checklist ?? "" },
        .init("scenario", .optional(.text), \.start.scenario), .init("persona", .optional(.text), \.start.persona),
        .init("tester", .optional(.text), \.start.tester), .init("build", .optional(.text), \.start.build),
        .init("device", .bool, about: "Whether a device marked it, and no person.", \.start.isDevices),
        .init(members: RunScope.form, \.start.scope), .init("started", .nanoseconds, \.start.time),
        FormField("finished", .optional(.nanoseconds)) { $0.end?.time },
        .init("signed_off", .optional(SignOffNote.form), \.signOff)
    ) { id, checklist, scenario, persona, tester, build, isDevices, scope, started, finished, signOff in
        var marker = RunMarker(.start, of: nil, time: started)
        (marker.number, marker.checklistID, marker.scenario, marker.persona) = (id, checklist, scenario, persona)
        (marker.tester, marker.build, marker.isDevices, marker.scope) = (tester, build, isDevices, scope)
        return StoredRun(start: marker, end: finished.map { ($0, 0) }, signOff: signOff)
    }
}

extension RunMarker {
    package func row(uid: String) -> RecordRow {
        .run(
            edge.rawValue, uid: uid, time: time, installation: scope.installation,
            [
                ("checklist", checklist), ("checklist_id", checklistID), ("run", run), ("scenario", scenario),
                ("session", scope.session), ("version", scope.version), ("persona", persona), ("tester", tester),
                ("build", build),
            ])
    }
}

extension RecordRow {
    static func run(
        _ edge: String, uid: String, time: Int64, installation: String?, _ texts: [(String, String?)],
        _ rest: (inout JSONBuilder) -> Void = { _ in }
    ) -> RecordRow {
        var writer = JSONBuilder()
        writer.object { writer in
            for (name, value) in texts {
                guard let value else { continue }
                writer.key(name)
                writer.string(value)
            }
            rest(&writer)
        }
        var row = RecordRow(
            uid: uid, time: time, kind: .run, level: Int(Level.info.rawValue), tag: "run.\(edge)",
            attributes: String(decoding: writer.bytes, as: UTF8.self))
        row.installation = installation
        return row
    }
}

extension JSONChecklistRecord {
    /// A stored record with its arrival number.
    /// - Parameter mask: What to hide from readers. Default: nothing.
    package convenience init(_ record: StoredRecord, mask: RecordMask? = nil) {
        self.init(
            tag: record.row.tag, number: record.id, time: record.row.time, level: record.row.level,
            session: record.row.session, installation: record.row.installation, attributes: record.row.attributes,
            context: record.row.context, mask: mask)
    }
}
