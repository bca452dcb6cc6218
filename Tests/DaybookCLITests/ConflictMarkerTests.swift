import DaybookTestTraits
import Foundation
import Testing

/// Every reader of files reports a conflict marker with its line, in the same words.
@Suite(.temporaryDirectory) struct ConflictMarkerTests {
    private let tool = Tool()

    struct Reading: Sendable, CustomTestStringConvertible {
        var file: String
        /// Lines before and after the marker.
        var before: String
        var after: String
        var arguments: [String]
        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let serve = ["serve", "--port", "0", "--store", "s.sqlite"]
    private static let record = #"{"tag":"a.b"}"# + "\n"

    private static let readings = [
        Reading(
            file: "c.conf", before: "port = 0\n", after: "store = s.sqlite\n",
            arguments: ["serve", "--config", "c.conf"]),
        Reading(
            file: "r.json", before: "{\n\"rules\": [\n", after: "]}\n",
            arguments: serve + ["--request-rules", "r.json"]),
        Reading(
            file: "c.json", before: "{\n\"events\": [\n", after: "]}\n", arguments: serve + ["--coverage", "c.json"]),
        Reading(
            file: "a.json", before: "{\n", after: "\"version\": 1}\n",
            arguments: serve + ["--alerts", "alerts", "--alerts-state", "a.json"]),
        Reading(file: "token", before: "", after: "0123\n", arguments: serve + ["--token-file", "token"]),
        Reading(file: "keys", before: "# keys\n", after: "\n", arguments: serve + ["--keys", "keys"]),
        Reading(file: "keys", before: "# keys\n", after: "\n", arguments: ["keys", "list", "--keys", "keys"]),
        Reading(
            file: "daybook.json", before: "{\n  \"definitions\": \"d\",\n", after: "  \"generate\": []\n}\n",
            arguments: ["definitions", "check", "daybook.json"]),
        Reading(
            file: "x.ndjson", before: record, after: record, arguments: ["import", "--store", "s.sqlite", "x.ndjson"]),
        Reading(
            file: "x.json", before: "{\n\"resourceLogs\": [\n", after: "]}\n",
            arguments: ["import", "--store", "s.sqlite", "x.json"]),
        Reading(file: "x.ndjson", before: record, after: record, arguments: ["coverage", "d", "--events", "x.ndjson"]),
        Reading(
            file: "f.ndjson", before: record, after: record,
            arguments: ["verify", "--fixture", "f.ndjson", "--events", "good.ndjson"]),
    ]

    @Test("Reports a conflict marker with its file and line", arguments: readings) func locatesConflictMarkers(
        reading: Reading
    ) async throws {
        try tool.write("# d\n", to: "d/d.md")
        try tool.write("", to: "alerts/README.md")
        try tool.write(Self.record, to: "good.ndjson")
        for marker in ["<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> theirs"] {
            try tool.write(reading.before + marker + "\n" + reading.after, to: reading.file)
            let outcome = try await tool.run(reading.arguments)
            let line = reading.before.split(separator: "\n").count + 1
            #expect(outcome.status != 0, "\(outcome)")
            #expect(
                (outcome.errors + outcome.output).contains("\(reading.file):\(line):")
                    && (outcome.errors + outcome.output).contains("conflict marker"), "\(marker): \(outcome)")
        }
    }
}
