import DaybookBase
import DaybookChecklist
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

/// Problems that fail a whole scenario, whatever its items: another persona, no run, undefined events, nothing judged.
/// Every report of `daybook verify` includes them, however the checklist is written.
@Suite(.timeLimit(.minutes(4)), .temporaryDirectory) struct WholeScenarioTests {
    /// A random case; several properties may hold at once.
    private struct Draw: CustomStringConvertible {
        var hasWrongPersona: Bool
        var isNeverRun: Bool
        var hasUndefined: Bool
        var isManual: Bool
        var recordings: Int
        var markdown: String

        var description: String {
            "persona \(hasWrongPersona), run \(isNeverRun), undefined \(hasUndefined), \(recordings) recordings:\n\(markdown)"
        }
    }

    private static func draw(_ random: inout SeededGenerator) -> Draw {
        func chance() -> Bool { Bool.random(using: &random) }
        let isManual = Int.random(in: 0..<5, using: &random) == 0
        let table = ["| persona | plan |", "|---|---|", "| free | free |", ""]
        let end = ["\n", "\r\n", "\u{2028}"].randomElement(using: &random) ?? "\n"
        var lines = chance() ? ["---", "owner: a", "---"] : []
        if chance() { lines += chance() ? ["# List of `all`", ""] : ["List", "====", "", "Words @all.", ""] }
        lines += lines.last == "" || lines.isEmpty ? table : [""] + table
        func items(_ indent: String) -> [String] {
            let bullet = chance() ? "- " : "1. "
            let item =
                isManual
                ? "Look at it"
                : ["feed.show", "feed.show at least 1", "never feed.hide"].randomElement(using: &random)!
            return [indent + bullet + "[ ] " + item] + (chance() ? ["\(indent)    - A note"] : [])
        }
        // Items above the first heading belong to a scenario with the list's name.
        if chance() { lines += items("") + [""] }
        for name in ["one", "two"] {
            lines += chance() ? ["## \(name)"] : lines.last == "" ? [name, "---"] : ["", name, "---"]
            if chance() { lines += chance() ? ["", "Prose."] : ["Prose of two", "lines."] }
            if chance() || lines.last?.hasSuffix(".") == true { lines.append("") }
            lines += items(["", "  "].randomElement(using: &random)!) + (chance() ? [""] : [])
        }
        return Draw(
            hasWrongPersona: chance(), isNeverRun: chance(), hasUndefined: chance(), isManual: isManual,
            recordings: Int.random(in: 1...2, using: &random), markdown: lines.joined(separator: end))
    }

    private func prepare(_ tool: Tool, _ draw: Draw) throws -> [String] {
        try tool.write(draw.markdown, to: "list.md")
        try tool.write("# feed\n\n## show\n\nIt came.\n\n## hide\n\nIt went.\n", to: "defs/feed.md")
        let show = #"{"tag":"feed.show","context":{"plan":"\#(draw.hasWrongPersona ? "paid" : "free")"}}"#
        var records = draw.hasUndefined ? [show, #"{"tag":"feed.shwo"}"#] : [show]
        if draw.isNeverRun {
            let attributes = #"{"run":"1","checklist":"\#(title(draw))","scenario":"one","persona":"free"}"#
            let marks = ["start", "finish"].map { #"{"kind":"run","tag":"run.\#($0)","attributes":\#(attributes)}"# }
            records = [marks[0]] + records + [marks[1]]
        }
        var words = ["--checklist", "list.md", "--definitions", "defs"]
        if !draw.isNeverRun { words += ["--persona", "free"] }
        for number in 0..<draw.recordings {
            try tool.write(records.map { $0 + "\n" }.joined(), to: "\(number).ndjson")
            words += ["--events", "\(number).ndjson"]
        }
        return words
    }

    private func title(_ draw: Draw) -> String {
        (try? Checklist(markdown: draw.markdown, file: "list.md"))?.title ?? ""
    }

    private struct Answer {
        var status: ExitCode
        var output: String
    }

    private func verify(_ tool: Tool, _ words: [String]) async throws -> Answer {
        let paths = words.map { word in
            word.contains(".") || word == "defs" ? tool.directory.appending(path: word).path : word
        }
        let printed = Printed()
        let console = Console(output: { text in printed.text.withLock { $0 += text } }, errors: { _ in })
        let arguments = try ArgumentParser(command: .verify).parse(paths)
        let status = try await Command.verify.run(arguments, console)
        return Answer(status: status, output: printed.text.withLock { $0 })
    }

    private final class Printed: Sendable {
        let text = Mutex("")
    }

    @Test("Every report includes problems of a whole scenario", arguments: 1...6 as ClosedRange<UInt64>)
    func reportsCoverScenario(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var found: Set<String> = []
        for number in 0..<25 {
            let draw = Self.draw(&random)
            let tool = Tool(in: TemporaryDirectory.current.subdirectory("\(number)"))
            let words = try prepare(tool, draw)
            let json = try await verify(tool, words + ["--json", "--junit", "out.xml"])
            let text = try await verify(tool, words)
            let markdown = try await verify(tool, words + ["--markdown"])
            let junit = try String(contentsOf: tool.directory.appending(path: "out.xml"), encoding: .utf8)
            #expect(text.status == json.status && markdown.status == json.status, "\(draw)")

            let report = try Value(json: json.output)
            var problems: [(scenario: String, reason: String)] = []
            for scenario in try #require(report["scenarios"].list) {
                guard let reason = scenario["problem"].text else { continue }
                problems.append((try #require(scenario["name"].text), reason))
            }
            // Every wanted problem occurs, so the checks below are not vacuous.
            let reasons = problems.map(\.reason)
            if draw.hasUndefined { #expect(reasons.contains { $0.contains("not defined") }, "\(draw)\n\(json)") }
            if draw.hasWrongPersona, !draw.isManual {
                #expect(reasons.contains { $0.contains("of persona") }, "\(draw)\n\(json)")
            }
            if draw.isNeverRun {
                #expect(reasons.contains { $0.contains("no recording has a run") }, "\(draw)\n\(json)")
            }

            let isNothing = report["result"] == "nothing_judged"
            let element = isNothing ? "<error message=" : "<failure message="
            for (scenario, reason) in problems {
                found.insert(String(reason.prefix(12)))
                #expect(
                    text.output.split(separator: "\n").contains {
                        $0.contains(" / " + reason) && $0.contains(scenario)
                    }, "\(draw)\n\(text)")
                let escaped = reason.replacing("\"", with: "&quot;")
                #expect(junit.contains(element + "\"\(escaped)\""), "\(draw)\n\(junit)")
                guard reason != "nothing judged" else { continue }
                let lines = markdown.output.split(separator: "\n").filter { $0.hasPrefix("- ✗ ") }
                #expect(
                    lines.contains { $0.contains(scenario) && $0.contains(" / " + reason) },
                    "\(draw)\n\(markdown.output)")
            }
            // Records have lines of their own, with their numbers.
            let whole = markdown.output.split(separator: "\n").count { line in
                line.hasPrefix("- ✗ ") && !line.drop { "-✗ `".contains($0) }.hasPrefix("#")
            }
            #expect(whole == problems.count { $0.reason != "nothing judged" }, "\(draw)\n\(markdown.output)")
            #expect(markdown.output.contains("**Nothing judged.**") == isNothing, "\(draw)\n\(markdown.output)")
            try await expectAgain(tool, words, markdown, draw)
            if draw.recordings == 2 { expectTable(text.output, problems.map(\.scenario), draw) }
        }
        #expect(found.count > 2, "\(found)")
    }

    /// A report can be judged again with the same result, and fixed problems disappear.
    private func expectAgain(_ tool: Tool, _ words: [String], _ first: Answer, _ draw: Draw) async throws {
        // After several recordings, a table follows.
        let report = first.output.components(separatedBy: "\n| scenario ")[0]
        try tool.write(report, to: "list.md")
        let again = try await verify(tool, words + ["--markdown"])
        #expect(again.output == first.output && again.status == first.status, "\(draw)\n\(first)\n\(again)")
        var fine = draw
        (fine.hasWrongPersona, fine.hasUndefined, fine.isNeverRun) = (false, false, false)
        let mended = try prepare(tool, fine)
        let clean = try await verify(tool, mended + ["--markdown"])
        try tool.write(report, to: "list.md")
        let afterwards = try await verify(tool, mended + ["--markdown"])
        func lines(_ answer: Answer) -> [Substring] { answer.output.split(separator: "\n") }
        #expect(lines(afterwards) == lines(clean), "\(draw)\n\(afterwards.output)")
        #expect(!afterwards.output.contains("✗"))
    }

    /// Nor does the table say "not run" of a scenario that failed in some build.
    private func expectTable(_ output: String, _ failed: [String], _ draw: Draw) {
        guard draw.hasUndefined else { return }
        let row = output.split(separator: "\n").first { $0.hasPrefix("| `definitions`") } ?? ""
        #expect(row.contains("✗ failed") && !row.contains("not run"), "\(draw)\n\(output)")
    }
}
