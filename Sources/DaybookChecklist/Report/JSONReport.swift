import DaybookBase

extension [ScenarioVerdict] {
    /// The verdicts as JSON: one object, keys in a fixed order.
    public func jsonReport(of checklist: Checklist) -> String {
        JSONWriter.text(json(of: checklist)).printableJSON + "\n"
    }

    fileprivate func json(of checklist: Checklist) -> Attributes {
        let all = flatMap(\.items)
        let counts = ItemVerdict.Status.allCases.map { status in
            (status.rawValue, Value(all.count { $0.status == status }))
        }
        return [
            "checklist": .string(checklist.title), "file": .string(checklist.file), "passed": .bool(passed),
            "result": .string(result.rawValue), "judged": Value(judged), "counts": .object(Attributes(counts)),
            "scenarios": .array(sayingWhatIsNotJudged.map(\.json)),
        ]
    }
}

extension [JudgedChecklist] {
    /// The verdicts as JSON: one checklist as ``ScenarioVerdict``s are reported, several as a list.
    public func jsonReport() -> String {
        let reports = map { $0.verdicts.json(of: $0.checklist) }
        let report: Attributes =
            reports.count == 1
            ? reports[0]
            : [
                "passed": .bool(result == .passed), "result": .string(result.rawValue),
                "judged": Value(map(\.verdicts.judged).reduce(0, +)), "checklists": .array(reports.map(Value.object)),
            ]
        return JSONWriter.text(report).printableJSON + "\n"
    }
}

extension ScenarioVerdict {
    fileprivate var json: Value {
        [
            "name": .string(scenario.name), "passed": .bool(passed), "judged": Value(judged),
            "persona": Value(run.persona),
            "build": Value(run.build), "tester": Value(run.tester), "finished": .bool(run.isFinished),
            "problem": Value(problem?.reason), "items": .array(items.map(\.json)),
        ]
    }
}

extension ItemVerdict {
    fileprivate var json: Value {
        [
            "text": .string(item.text), "line": Value(item.location.line), "status": .string(status.rawValue),
            "reason": Value(reason), "matches": Value(matches), "tests": Value(item.tests.count),
            "notes": Value(item.notes.count), "records": .array(evidence.map(json)),
        ]
    }

    private func json(_ evidence: Evidence) -> Value {
        let values = evidence.values.map { ($0.column, $0.value?.json ?? .null) }
        return [
            "number": Value(evidence.number), "time": Value(evidence.time), "tag": .string(evidence.tag),
            "values": .object(Attributes(values)), "note": Value(evidence.note),
        ]
    }
}
