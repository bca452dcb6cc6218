import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

@Suite(.temporaryDirectory) struct ExportCommandTests {
    private let tool = Tool()

    private func withStore(_ count: Int, _ body: (Tool) async throws -> Void) async throws {
        let store = try SQLiteStore(path: tool.directory.appending(path: "daybook.sqlite").path)
        let rows = (0..<count).map { number in
            var row = RecordRow(
                uid: "0123456789abcdef0123456789abcdef0123456789abcdef-\(number + 1)",
                time: 1_795_168_931_000_000_000 + Int64(number), kind: .event, level: 9, tag: "recipe.show",
                attributes: "{\"recipe_id\":\(number),\"title\":\"卵 \\\"egg\\\"\"}", context: "{\"plan\":\"free\"}")
            row.session = "s"
            return row
        }
        try await store.append(RecordBatch(rows: rows))
        try await body(tool)
    }

    @Test("Exports every record once, oldest first") func exportsOldestFirst() async throws {
        // More than two pages.
        try await withStore(2_345) { tool in
            let result = try await tool.run("export")
            #expect(result.status == 0)
            #expect(result.errors.isEmpty)
            let rows = try result.output.split(separator: "\n").enumerated().map { number, line in
                try RecordLine.row(line.utf8, defaults: .init(time: 0, position: number))
            }
            #expect(rows.map(\.sequence) == (1...2_345).map { $0 })
            #expect(rows.last?.attributes == "{\"recipe_id\":2344,\"title\":\"卵 \\\"egg\\\"\"}")
        }
    }

    @Test("`verify` reads the output of `export`") func exportFeedsVerify() async throws {
        try await withStore(3) { tool in
            let export = try await tool.run("export", "--store", "sqlite:daybook.sqlite", "--format", "ndjson")
            try tool.write("- [ ] recipe.show exactly 3 where plan = \"free\" and _session = \"s\"\n", to: "list.md")
            let verdict = try await tool.run("verify", "--checklist", "list.md", "--events", "-", input: export.output)
            #expect(verdict.status == 0, "\(verdict)")
            try tool.write("- [ ] recipe.show exactly 2\n", to: "list.md")
            let failure = try await tool.run("verify", "--checklist", "list.md", "--events", "-", input: export.output)
            #expect(failure.status == 1)
            #expect(failure.output.contains("#3 10:02:11.000 recipe.show"), "\(failure)")
        }
    }

    @Test("The trace format is one JSON object with every record") func exportsTrace() async throws {
        try await withStore(1_234) { tool in
            let result = try await tool.run("export", "--format", "trace")
            #expect(result.status == 0)
            let object = try Value(json: result.output)
            // Two more name the process and the lane.
            #expect(object["traceEvents"].list?.count == 1_236)
        }
    }

    @Test("Exporting an empty store prints nothing") func emptyStoreExportsNothing() async throws {
        try await withStore(0) { tool in
            let result = try await tool.run("export")
            #expect(result.status == 0)
            #expect(result.output.isEmpty)
        }
    }

    @Test("Exporting an unknown format or missing store exits with 2") func refusesUnknownFormat() async throws {
        #expect(
            try await tool.run("export", "--format", "csv").errors.hasPrefix(
                "error: --format takes ndjson, line or trace, not `csv`\n"))
        let missing = try await tool.run("export", "--store", "none.sqlite")
        #expect(missing.status == 2)
        #expect(missing.output.isEmpty)
        #expect(!missing.errors.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: tool.directory.appending(path: "none.sqlite").path))
    }
}
