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
            \.definitions), .init(members: ChecklistOutcome.form, \.outcome),
        .init("board", .list(BoardEntry.form), \.board), .init("writable", .bool, \.isWritable),
        .init("version", .text, about: "Of the file's text, which a change of it is made over.", \.version),
        .init("scenarios", .list(ScenarioAnswer.form), \.scenarios), make: ChecklistAnswer.init)
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

/// Which records are judged, and whose they are.
package struct JudgedScope: Sendable {
    package var scope: RunScope
    package var persona: String?
    package var seen: JudgedRun.Seen

    fileprivate static let form = Form<JudgedScope>.object(
        "Judging", .init(members: RunScope.form, \.scope), .init("persona", .optional(.text), \.persona),
        .init(members: JudgedRun.Seen.form, \.seen), make: JudgedScope.init)
}

extension RunScope {
    /// Null for all records.
    static let form = Form<RunScope>.object(
        "RunScope", .init("installation", .optional(.text), \.installation),
        .init("session", .optional(.text), \.session), .init("version", .optional(.text), \.version)
    ) { RunScope(installation: $0, session: $1, version: $2) }
}

package struct ChecklistsAnswer: Sendable {
    /// Everything up to this arrival number has been judged.
    package var judged: Int64
    package var head: Int64
    package var checklists: [ChecklistAnswer]

    package init(judged: Int64, head: Int64, checklists: [ChecklistAnswer]) {
        (self.judged, self.head, self.checklists) = (judged, head, checklists)
    }

    static let form = Form<ChecklistsAnswer>.object(
        "ChecklistBoard", .init("judged", .integer, \.judged), .init("head", .integer, \.head),
        .init("checklists", .list(ChecklistAnswer.form), \.checklists),
        make: ChecklistsAnswer.init(judged:head:checklists:))
}

/// A run on the board, signed off or in progress.
package struct BoardEntry: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case underWay = "under_way"
        case signedOff = "signed_off"
    }

    package var state: State
    /// The run's id in addresses.
    package var number: Int64
    package var scope: RunScope
    package var persona: String?
    package var tester: String?
    package var build: String?
    package var device: String?
    /// Nanoseconds since 1970.
    package var time: Int64
    /// Items by state.
    package var counts: [String: Int]

    fileprivate static let form = Form<BoardEntry>.object(
        "BoardEntry", .init("state", .word, \.state), .init("id", .integer, \.number),
        .init(members: RunScope.form, \.scope), .init("persona", .optional(.text), \.persona),
        .init("tester", .optional(.text), \.tester), .init("build", .optional(.text), \.build),
        .init("device", .optional(.text), \.device), .init("time", .nanoseconds, \.time),
        .init(members: SignOffNote.countsForm, \.counts), make: BoardEntry.init)

    /// The latest signed-off run of each tester and persona, then runs in progress.
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
                state: .signedOff, number: runs.first { note.signs($0.start) }?.id ?? note.number, scope: note.scope,
                persona: note.persona, tester: note.tester, build: note.build, device: note.device, time: note.time,
                counts: note.seen(by: audience).counts)
        }
        let underWay = live.compactMap { judged -> BoardEntry? in
            guard let run = runs.last(where: { $0.id == judged.startsAfter }) else { return nil }
            return BoardEntry(
                state: .underWay, number: run.id, scope: run.start.scope, persona: run.start.persona,
                tester: run.start.tester, build: run.start.build, device: judged.seen.devices.first,
                time: run.start.time, counts: judged.verdicts(finished: false, for: audience).counts)
        }
        return signed + underWay
    }
}
