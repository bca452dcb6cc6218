import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools

/// A run from its records of kind *run*: its start, its end, and its sign-off.
struct StoredRun: Sendable {
    /// The start; its number is the run's id.
    var start: RunMarker
    /// The end's time and arrival number; `nil` while running.
    private(set) var end: (time: Int64, number: Int64)?
    /// The first sign-off; `nil` before.
    private(set) var signOff: SignOffNote?

    func seen(by audience: VerdictAudience) -> StoredRun {
        var run = self
        run.signOff = signOff?.seen(by: audience)
        return run
    }

    var id: Int64 { start.number }

    /// `nil` if the record does not start a run.
    init?(_ record: StoredRecord) {
        guard record.row.kind == .run, let marker = RunMarker(JSONChecklistRecord(record)), marker.edge == .start else {
            return nil
        }
        start = marker
    }

    /// Applies a later record of kind *run*: the run's end or sign-off.
    mutating func observe(_ record: StoredRecord) {
        guard record.id > id else { return }
        if let note = SignOffNote(record) {
            if note.signs(start), signOff == nil { signOff = note }
        } else if end == nil, let marker = RunMarker(JSONChecklistRecord(record)), marker.ends(start) {
            end = (record.row.time, record.id)
        }
    }
}

/// A sign-off's summary for the board: tester, scope and counts.
struct SignOffNote: Sendable, Hashable {
    static let counted = ["ok", "failed", "waiting", "waived"]

    /// The sign-off's arrival number; 0 before it is stored.
    var number: Int64 = 0
    /// The run's name; `nil` for chosen records.
    var run: String?
    var checklist: String
    var checklistID: String?
    var scope = RunScope()
    var persona: String?
    var tester: String
    var build: String?
    var device: String?
    var notes: String?
    /// Items by state, and the number of waived ones.
    var counts: [String: Int] = [:]
    /// Counts for readers, where items that compared private values are not judged.
    var shownCounts: [String: Int] = [:]
    /// Nanoseconds since 1970.
    var time: Int64

    init(checklist: String, checklistID: String?, tester: String, time: Int64) {
        self.checklist = checklist
        self.checklistID = checklistID
        self.tester = tester
        self.time = time
    }

    /// `nil` for a record that is not a sign-off.
    init?(_ record: StoredRecord) {
        guard record.row.kind == .run, record.row.tag.split(separator: ".").last == RunMarker.signOff[...],
            !DeviceClaim.isClaim(record.row.tag)
        else { return nil }
        let columns = JSONChecklistRecord(record)
        func text(_ column: String) -> String? {
            if case .text(let text)? = columns.value(of: column), !text.isEmpty { text } else { nil }
        }
        guard let title = text("checklist"), let tester = text("tester") else { return nil }
        self.init(checklist: title, checklistID: text("checklist_id"), tester: tester, time: record.row.time)
        number = record.id
        run = text("run")
        scope = RunScope(installation: text("_installation"), session: text("session"), version: text("version"))
        (persona, build, device, notes) = (text("persona"), text("build"), text("device"), text("notes"))
        for state in Self.counted {
            if case .integer(let count)? = columns.value(of: state) { shownCounts[state] = Int(count) }
        }
        counts = shownCounts
        if case .structure(let text)? = columns.value(of: Self.allCounts),
            case .object(let all)? = try? JSONReader.value(of: Array(text.utf8))
        {
            for state in Self.counted { if case .int(let count)? = all[state] { counts[state] = Int(clamping: count) } }
        }
    }

    /// The column with ``counts`` in a record whose other columns have ``shownCounts``.
    private static let allCounts = "all_counts"

    func seen(by audience: VerdictAudience) -> SignOffNote {
        var note = self
        if audience == .readers { note.counts = shownCounts }
        return note
    }

    func signs(_ start: RunMarker) -> Bool { run != nil && run == (start.run ?? String(start.number)) }

    /// The record to store.
    /// - Parameters:
    ///   - snapshot: The frozen state, as a JSON object.
    ///   - isPrivate: Whether it reveals comparisons of private values.
    func row(uid: String, snapshot: String, isPrivate: Bool) -> RecordRow {
        var texts = [("checklist", Optional(checklist)), ("checklist_id", checklistID), ("run", run)]
        texts += [("session", scope.session), ("version", scope.version), ("persona", persona)]
        texts += [("tester", tester), ("build", build), ("device", device), ("notes", notes)]
        return .run(RunMarker.signOff, uid: uid, time: time, installation: scope.installation, texts) { writer in
            writer.counts(shownCounts)
            writer.key("snapshot")
            writer.raw(Array(snapshot.utf8))
            guard isPrivate else { return }
            writer.key(Self.allCounts)
            writer.object { $0.counts(counts) }
            writer.key(WireName.privateNames.description)
            writer.array(of: ["snapshot", Self.allCounts]) { $0.string($1) }
        }
    }
}

extension StoredRecord {
    /// A run's or sign-off's record without the `snapshot`.
    var withoutSnapshot: StoredRecord {
        guard row.attributes.utf8.count > 4_096, let value = try? JSONReader.value(of: Array(row.attributes.utf8)),
            case .object(let attributes) = value
        else { return self }
        var light = self
        let kept = attributes.elements.filter { $0.key != "snapshot" }.map { ($0.key, $0.value) }
        light.row.attributes = JSONWriter.text(Attributes(kept))
        return light
    }
}

extension RunMarker {
    func row(uid: String) -> RecordRow {
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
    fileprivate static func run(
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
    convenience init(_ record: StoredRecord, mask: RecordMask? = nil) {
        self.init(
            tag: record.row.tag, number: record.id, time: record.row.time, level: record.row.level,
            session: record.row.session, installation: record.row.installation, attributes: record.row.attributes,
            context: record.row.context, mask: mask)
    }
}
