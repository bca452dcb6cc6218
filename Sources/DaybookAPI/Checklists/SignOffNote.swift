import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools

/// A sign-off's summary for the board: tester, scope and counts.
package struct SignOffNote: Sendable, Hashable {
    package static let counted = ["ok", "failed", "waiting", "waived"]

    /// The sign-off's arrival number; 0 before it is stored.
    package var number: Int64 = 0
    /// The run's name; `nil` for chosen records.
    package var run: String?
    package var checklist: String
    package var checklistID: String?
    package var scope = RunScope()
    package var persona: String?
    package var tester: String
    package var build: String?
    package var device: String?
    package var notes: String?
    /// Items by state, and the number of waived ones.
    package var counts: [String: Int] = [:]
    /// Counts for readers, where items that compared private values are not judged.
    package var shownCounts: [String: Int] = [:]
    /// Nanoseconds since 1970.
    package var time: Int64

    package init(checklist: String, checklistID: String?, tester: String, time: Int64) {
        self.checklist = checklist
        self.checklistID = checklistID
        self.tester = tester
        self.time = time
    }

    /// `nil` for a record that is not a sign-off.
    package init?(_ record: StoredRecord) {
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

    /// The column of ``counts``, if the others have ``shownCounts``.
    private static let allCounts = "all_counts"

    package func seen(by audience: VerdictAudience) -> SignOffNote {
        var note = self
        if audience == .readers { note.counts = shownCounts }
        return note
    }

    package func signs(_ start: RunMarker) -> Bool { run != nil && run == (start.run ?? String(start.number)) }

    /// The record to store.
    /// - Parameters:
    ///   - snapshot: The frozen state, as a JSON object.
    ///   - isPrivate: Whether it reveals comparisons of private values.
    package func row(uid: String, snapshot: String, isPrivate: Bool) -> RecordRow {
        var texts = [("checklist", Optional(checklist)), ("checklist_id", checklistID), ("run", run)]
        texts += [("session", scope.session), ("version", scope.version), ("persona", persona)]
        texts += [("tester", tester), ("build", build), ("device", device), ("notes", notes)]
        return .run(RunMarker.signOff, uid: uid, time: time, installation: scope.installation, texts) { writer in
            Self.write(shownCounts, to: &writer)
            writer.key("snapshot")
            writer.raw(Array(snapshot.utf8))
            guard isPrivate else { return }
            writer.key(Self.allCounts)
            writer.object { Self.write(counts, to: &$0) }
            writer.key(WireName.privateNames.description)
            writer.array(of: ["snapshot", Self.allCounts]) { $0.string($1) }
        }
    }

    private static func write(_ counts: [String: Int], to writer: inout JSONBuilder) {
        for state in counted {
            writer.key(state)
            writer.integer(Int64(counts[state] ?? 0))
        }
    }
}

extension SignOffNote {
    package static let form = Form<SignOffNote>.object(
        "SignOff", .init("id", .integer, \.number), .init("persona", .optional(.text), \.persona),
        .init("tester", .text, \.tester), .init("build", .optional(.text), \.build),
        .init("device", .optional(.text), \.device), .init("time", .nanoseconds, \.time),
        .init("notes", .optional(.text), \.notes), .init(members: countsForm, \.counts)
    ) { number, persona, tester, build, device, time, notes, counts in
        var note = SignOffNote(checklist: "", checklistID: nil, tester: tester, time: time)
        (note.number, note.persona, note.build, note.device, note.notes) = (number, persona, build, device, notes)
        note.counts = counts
        return note
    }

    /// Items by state.
    static let countsForm = Form<[String: Int]>.object(
        "ItemCounts", FormField("ok", .number) { $0["ok"] ?? 0 }, FormField("failed", .number) { $0["failed"] ?? 0 },
        FormField("waiting", .number) { $0["waiting"] ?? 0 }, FormField("waived", .number) { $0["waived"] ?? 0 }
    ) { ["ok": $0, "failed": $1, "waiting": $2, "waived": $3] }
}

extension StoredRecord {
    /// The record without its `snapshot`.
    package var withoutSnapshot: StoredRecord {
        guard row.attributes.utf8.count > 4_096, let value = try? JSONReader.value(of: Array(row.attributes.utf8)),
            case .object(let attributes) = value
        else { return self }
        var light = self
        let kept = attributes.elements.filter { $0.key != "snapshot" }.map { ($0.key, $0.value) }
        light.row.attributes = JSONWriter.text(Attributes(kept))
        return light
    }
}
