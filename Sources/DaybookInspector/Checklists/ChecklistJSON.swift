import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookTools

/// A checklist for the page, judged over a run or over chosen records.
struct ShownChecklist {
    var id: String
    var checklist: Checklist
    var scope: RunScope
    var persona: String?
    var verdicts: [ScenarioVerdict]
    var seen: JudgedRun.Seen
    var startsAfter: Int64
    /// The requested run; `nil` for chosen records.
    var run: RunOpener.Opened?
    var board: [BoardEntry]
    var isWritable: Bool
    let version: String

    init(_ judged: JudgedRun, board: [BoardEntry], for audience: VerdictAudience, isWritable: Bool) {
        (id, checklist, scope, persona) = (judged.id, judged.checklist, judged.scope, judged.persona)
        verdicts = judged.verdicts(finished: false, for: audience)
        (seen, startsAfter) = (judged.seen, judged.startsAfter)
        (self.board, self.isWritable) = (board, isWritable)
        version = OwnedFile.version(of: Array(judged.checklist.source.utf8))
    }

    mutating func show(_ opened: RunOpener.Opened) {
        (checklist, scope, persona) = (opened.checklist, opened.scope, opened.persona)
        (verdicts, seen, startsAfter) = (opened.verdicts, opened.seen, opened.stored?.id ?? 0)
        run = opened
    }
}

/// A run on the board, signed off or in progress.
struct BoardEntry {
    /// The run's id in addresses.
    var number: Int64
    var isUnderWay: Bool
    var persona: String?
    var tester: String?
    var build: String?
    var device: String?
    var scope: RunScope
    /// Nanoseconds since 1970.
    var time: Int64
    /// Items by state.
    var counts: [String: Int]

    /// Signed-off runs, the latest of each tester and persona, then runs in progress.
    static func all(
        _ runs: [StoredRun], _ signOffs: [SignOffNote], live: [JudgedRun], for audience: VerdictAudience
    ) -> [BoardEntry] {
        var latest: [SignOffNote] = []
        for note in signOffs {
            latest.removeAll { $0.persona == note.persona && $0.tester == note.tester }
            latest.append(note)
        }
        let signed = latest.map { note in
            BoardEntry(
                number: runs.first { note.signs($0.start) }?.id ?? note.number, isUnderWay: false,
                persona: note.persona, tester: note.tester, build: note.build, device: note.device, scope: note.scope,
                time: note.time, counts: note.seen(by: audience).counts)
        }
        let underWay = live.compactMap { judged -> BoardEntry? in
            guard let run = runs.last(where: { $0.id == judged.startsAfter }) else { return nil }
            return BoardEntry(
                number: run.id, isUnderWay: true, persona: run.start.persona, tester: run.start.tester,
                build: run.start.build, device: judged.seen.devices.first, scope: run.start.scope,
                time: run.start.time, counts: judged.verdicts(finished: false, for: audience).counts)
        }
        return signed + underWay
    }
}

extension JSONBuilder {
    mutating func checklist(_ shown: ShownChecklist) {
        object {
            $0.key("id")
            $0.string(shown.id)
            $0.key("title")
            $0.string(shown.checklist.title)
            $0.key("since")
            $0.integer(shown.startsAfter)
            $0.key("personas")
            $0.array(of: shown.checklist.personas?.personas ?? []) { $0.string($1.name) }
            $0.key("judging")
            $0.judging(shown)
            $0.key("run")
            if let run = shown.run?.stored { $0.run(run) } else { $0.null() }
            $0.key("signed_off")
            $0.note(shown.run?.signOff)
            $0.key("definitions")
            $0.string(shown.run?.definitions)
            $0.result(of: shown.verdicts)
            $0.key("board")
            $0.array(of: shown.board) { $0.entry($1) }
            $0.key("writable")
            $0.bool(shown.isWritable)
            $0.key("version")
            $0.string(shown.version)
            $0.key("scenarios")
            $0.array(of: shown.verdicts) { $0.scenario($1) }
        }
    }

    mutating func result(of verdicts: [ScenarioVerdict]) {
        key("passed")
        bool(verdicts.passed)
        key("result")
        string(verdicts.result.rawValue)
        key("judged")
        integer(Int64(verdicts.judged))
    }

    private mutating func judging(_ shown: ShownChecklist) {
        object {
            $0.scope(shown.scope)
            $0.key("persona")
            $0.string(shown.persona)
            $0.key("records")
            $0.integer(shown.seen.records)
            $0.key("first")
            if let first = shown.seen.first { $0.integer(first) } else { $0.null() }
            $0.key("last")
            if let last = shown.seen.last { $0.integer(last) } else { $0.null() }
            let names = [
                ("sessions", shown.seen.sessions), ("installations", shown.seen.installations),
                ("versions", shown.seen.versions), ("devices", shown.seen.devices),
            ]
            for (name, values) in names {
                $0.key(name)
                $0.array(of: values) { $0.string($1) }
            }
        }
    }

    private mutating func entry(_ entry: BoardEntry) {
        object {
            $0.key("state")
            $0.string(entry.isUnderWay ? "under_way" : "signed_off")
            $0.key("id")
            $0.integer(entry.number)
            $0.scope(entry.scope)
            $0.person(entry.persona, entry.tester, entry.build, entry.device, entry.time)
            $0.counts(entry.counts)
        }
    }

    /// Writes a sign-off; null without one.
    mutating func note(_ note: SignOffNote?) {
        guard let note else { return null() }
        object {
            $0.key("id")
            $0.integer(note.number)
            $0.person(note.persona, note.tester, note.build, note.device, note.time)
            $0.key("notes")
            $0.string(note.notes)
            $0.counts(note.counts)
        }
    }

    private mutating func person(
        _ persona: String?, _ tester: String?, _ build: String?, _ device: String?, _ time: Int64
    ) {
        for (name, text) in [("persona", persona), ("tester", tester), ("build", build), ("device", device)] {
            key(name)
            string(text)
        }
        key("time")
        decimal(time)
    }

    mutating func counts(_ counts: [String: Int]) {
        for state in SignOffNote.counted {
            key(state)
            integer(Int64(counts[state] ?? 0))
        }
    }

    mutating func scenario(_ verdict: ScenarioVerdict) {
        object {
            $0.key("id")
            $0.string(verdict.scenario.name)
            $0.key("title")
            $0.string(verdict.scenario.name)
            $0.result(of: [verdict])
            $0.reason("problem", verdict.problem?.why)
            $0.key("waiver")
            $0.string(verdict.problem?.waiver)
            $0.key("items")
            $0.array(of: verdict.items.enumerated()) { $0.item($1.element, number: $1.offset + 1) }
        }
    }

    private mutating func item(_ verdict: ItemVerdict, number: Int) {
        object {
            $0.key("id")
            $0.string(String(number))
            $0.key("text")
            $0.string(verdict.item.text)
            $0.key("pattern")
            if case .expectation(let expectation) = verdict.item.content {
                $0.string(expectation.pattern.description)
            } else {
                $0.null()
            }
            $0.key("tests")
            $0.array(of: verdict.item.tests) { $0.string($1.text) }
            $0.key("notes")
            $0.array(of: verdict.item.notes) { $0.string($1) }
            $0.key("state")
            $0.string(verdict.status.rawValue)
            $0.key("provisional")
            $0.bool(verdict.isProvisional)
            $0.reason("reason", verdict.why)
            $0.key("matches")
            $0.integer(Int64(verdict.matches))
            $0.key("records")
            $0.array(of: verdict.evidence) { $0.evidence($1) }
            $0.key("waiver")
            $0.string(verdict.waiver)
            $0.key("ticked")
            $0.bool(verdict.isTicked)
        }
    }

    private mutating func evidence(_ evidence: Evidence) {
        object {
            $0.key("id")
            $0.integer(evidence.number)
            $0.key("time")
            $0.decimal(evidence.time)
            $0.key("tag")
            $0.string(evidence.tag.boundedName)
            $0.key("values")
            $0.array(of: evidence.values) { writer, value in
                writer.object {
                    $0.key("column")
                    $0.string(value.column)
                    $0.key("value")
                    $0.checklistValue(value.value)
                }
            }
            $0.reason("note", evidence.remark)
        }
    }

    /// Writes an English sentence and its phrases; no phrases if the sentence is cut.
    private mutating func reason(_ name: String, _ reason: Reason?) {
        key(name)
        let isCut = string(reason?.text, limit: RecordBounds.listed.text)
        key("phrases")
        array(of: isCut ? [] : reason?.phrases ?? []) { writer, phrase in
            writer.object {
                $0.key("code")
                $0.string(phrase.code.rawValue)
                $0.key("arguments")
                $0.object {
                    for (name, argument) in phrase.arguments.sorted(by: { $0.key < $1.key }) {
                        $0.key(name)
                        $0.string(argument.text)
                    }
                }
            }
        }
    }

    mutating func checklistValue(_ value: ChecklistValue?) {
        switch value {
        case nil: null()
        case .boolean(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): real(value)
        case .text(let text): string(text, limit: RecordBounds.listed.text)
        case .structure(let json): spliced(json, limit: RecordBounds.listed.text)
        }
    }
}
