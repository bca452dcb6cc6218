import DaybookChecklist

extension Command {
    static let compare = Command(
        name: "compare", summary: "Show how two recordings of the same journeys differ, event by event",
        operands: ("OLD.ndjson NEW.ndjson", 2...2),
        details: "For moving from one log system to another: counts, missing columns, types and values. Exit status 1 "
            + "if they differ."
    ) { arguments, console in
        var comparison = RecordingComparison()
        try await FixtureFile.forEach(arguments.operands[0]) { comparison.add($0, .old) }
        try await FixtureFile.forEach(arguments.operands[1]) { comparison.add($0, .new) }
        console.output(comparison.report())
        return comparison.isEmpty ? .done : .no
    }
}
