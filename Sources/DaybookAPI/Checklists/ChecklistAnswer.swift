import DaybookChecklist
import DaybookStore
import DaybookTools

/// A checklist, judged over a run or over chosen records.
package struct ChecklistAnswer: Sendable {
    package var id: String
    package var title: String
    package var since: Int64
    package var personas: [String]
    package var judging: JudgedScope
    package var run: StoredRun?
    package var signOff: SignOffNote?
    package var definitions: String?
    package var outcome: ChecklistOutcome
    package var board: [BoardEntry]
    package var isWritable: Bool
    package var version: String
    package var scenarios: [ScenarioAnswer]

    fileprivate static let form = Form<ChecklistAnswer>.object(
        "Checklist", .init("id", .text, \.id), .init("title", .text, \.title),
        .init("since", .integer, about: "A run holds the records that arrived after this one.", \.since),
        .init("personas", .list(.text), \.personas), .init("judging", JudgedScope.form, \.judging),
        .init("run", .optional(StoredRun.form), about: "The run that was asked for.", \.run),
        .init("signed_off", .optional(SignOffNote.form), \.signOff),
        .init(
            "definitions", .optional(.text), about: "A digest of the definitions when it was signed off.",
            \.definitions), .passed(\.outcome), .result(\.outcome), .judged(\.outcome),
        .init("board", .list(BoardEntry.form), \.board), .init("writable", .bool, \.isWritable),
        .init("version", .text, about: "Of the file's text, which a change of it is made over.", \.version),
        .init("scenarios", .list(ScenarioAnswer.form), \.scenarios)
    ) {
        id, title, since, personas, judging, run, signOff, definitions, _, result, judged, board, isWritable, version,
        scenarios in
        ChecklistAnswer(
            id: id, title: title, since: since, personas: personas, judging: judging, run: run, signOff: signOff,
            definitions: definitions, outcome: ChecklistOutcome(result: result, judged: judged), board: board,
            isWritable: isWritable, version: version, scenarios: scenarios)
    }
}

extension ChecklistAnswer {
    package init(_ judged: JudgedRun, board: [BoardEntry], for audience: VerdictAudience, isWritable: Bool) {
        (id, since, self.board, self.isWritable) = (judged.id, judged.startsAfter, board, isWritable)
        version = OwnedFile.version(of: Array(judged.checklist.source.utf8))
        (title, personas) = (judged.checklist.title, judged.checklist.personaNames)
        judging = JudgedScope(scope: judged.scope, persona: judged.persona, seen: judged.seen)
        let verdicts = judged.verdicts(finished: false, for: audience)
        (outcome, scenarios) = (ChecklistOutcome(verdicts), verdicts.map { ScenarioAnswer($0) })
    }

    /// Shows a run instead.
    package mutating func show(_ opened: OpenedRun) {
        (title, personas) = (opened.checklist.title, opened.checklist.personaNames)
        judging = JudgedScope(scope: opened.scope, persona: opened.persona, seen: opened.seen)
        (since, run, signOff) = (opened.stored?.id ?? 0, opened.stored, opened.signOff)
        (definitions, outcome) = (opened.definitions, ChecklistOutcome(opened.verdicts))
        scenarios = opened.verdicts.map { ScenarioAnswer($0) }
    }
}

extension Checklist {
    fileprivate var personaNames: [String] { personas?.personas.map(\.name) ?? [] }
}

/// Which records the verdicts are about, and whose they are.
package struct JudgedScope: Sendable {
    package var scope: RunScope
    package var persona: String?
    package var seen: JudgedRun.Seen

    fileprivate static let form = Form<JudgedScope>.object(
        "Judging", .init("installation", .optional(.text), \.scope.installation),
        .init("session", .optional(.text), \.scope.session), .init("version", .optional(.text), \.scope.version),
        .init("persona", .optional(.text), \.persona), .init("records", .integer, \.seen.records),
        .init("first", .optional(.integer), \.seen.first), .init("last", .optional(.integer), \.seen.last),
        .init("sessions", .list(.text), \.seen.sessions), .init("installations", .list(.text), \.seen.installations),
        .init("versions", .list(.text), \.seen.versions), .init("devices", .list(.text), \.seen.devices)
    ) {
        installation, session, version, persona, records, first, last, sessions, installations, versions, devices in
        JudgedScope(
            scope: RunScope(installation: installation, session: session, version: version), persona: persona,
            seen: JudgedRun.Seen(
                records: records, first: first, last: last, sessions: sessions, installations: installations,
                versions: versions, devices: devices))
    }
}

/// Checklists with their current verdicts.
package struct ChecklistsAnswer: Sendable {
    /// All records up to this arrival number have been judged.
    package var judged: Int64
    package var head: Int64
    package var checklists: [ChecklistAnswer]

    package init(judged: Int64, head: Int64, checklists: [ChecklistAnswer]) {
        (self.judged, self.head, self.checklists) = (judged, head, checklists)
    }

    fileprivate static let form = Form<ChecklistsAnswer>.object(
        "ChecklistBoard", .init("judged", .integer, \.judged), .init("head", .integer, \.head),
        .init("checklists", .list(ChecklistAnswer.form), \.checklists),
        make: ChecklistsAnswer.init(judged:head:checklists:))
}

extension Endpoint<ChecklistsAnswer> {
    package static let checklists = Endpoint(
        "GET", "checklists", parameters: ChecklistQuestion.names, ChecklistsAnswer.form)
}

/// A run on the board, signed off or in progress.
package struct BoardEntry: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case underWay = "under_way"
        case signedOff = "signed_off"
    }

    /// The run's id in addresses.
    package var number: Int64
    package var state: State
    package var persona: String?
    package var tester: String?
    package var build: String?
    package var device: String?
    package var scope: RunScope
    /// Nanoseconds since 1970.
    package var time: Int64
    /// Items by state.
    package var counts: [String: Int]

    fileprivate static let form = Form<BoardEntry>.object(
        "BoardEntry", .init("state", .word, \.state), .init("id", .integer, \.number),
        .init("installation", .optional(.text), \.scope.installation),
        .init("session", .optional(.text), \.scope.session), .init("version", .optional(.text), \.scope.version),
        .init("persona", .optional(.text), \.persona), .init("tester", .optional(.text), \.tester),
        .init("build", .optional(.text), \.build), .init("device", .optional(.text), \.device),
        .init("time", .nanoseconds, \.time), .count("ok", \.counts), .count("failed", \.counts),
        .count("waiting", \.counts), .count("waived", \.counts)
    ) {
        state, number, installation, session, version, persona, tester, build, device, time, ok, failed, waiting, waived
        in
        BoardEntry(
            number: number, state: state, persona: persona, tester: tester, build: build, device: device,
            scope: RunScope(installation: installation, session: session, version: version), time: time,
            counts: ["ok": ok, "failed": failed, "waiting": waiting, "waived": waived])
    }

    /// Signed-off runs, the latest of each tester and persona, then runs in progress.
    package static func all(
        _ runs: [StoredRun], _ signOffs: [SignOffNote], live: [JudgedRun], for audience: VerdictAudience
    ) -> [BoardEntry] {
        var latest: [SignOffNote] = []
        for note in signOffs {
            latest.removeAll { $0.persona == note.persona && $0.tester == note.tester }
            latest.append(note)
        }
        let signed = latest.map { note in
            BoardEntry(
                number: runs.first { note.signs($0.start) }?.id ?? note.number, state: .signedOff,
                persona: note.persona, tester: note.tester, build: note.build, device: note.device, scope: note.scope,
                time: note.time, counts: note.seen(by: audience).counts)
        }
        let underWay = live.compactMap { judged -> BoardEntry? in
            guard let run = runs.last(where: { $0.id == judged.startsAfter }) else { return nil }
            return BoardEntry(
                number: run.id, state: .underWay, persona: run.start.persona, tester: run.start.tester,
                build: run.start.build, device: judged.seen.devices.first, scope: run.start.scope,
                time: run.start.time, counts: judged.verdicts(finished: false, for: audience).counts)
        }
        return signed + underWay
    }
}
