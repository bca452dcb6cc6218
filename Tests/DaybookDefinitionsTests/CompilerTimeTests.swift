import DaybookTrials
import Foundation
import Testing

@testable import DaybookDefinitions

struct CompilerTimeTests {
    private func check(_ bytes: [UInt8]) {
        let (definitions, diagnostics) = Definitions.load([(path: "cat.md", bytes: bytes)])
        _ = DumpGenerator.generate(definitions)
        guard !diagnostics.hasErrors else { return }
        _ = SwiftGenerator().generate(definitions)
    }

    /// Each was chosen to slow down a careless parser: twice the input may take about twice the time.
    @Test(
        "Hostile input is parsed in linear time",
        arguments: [
            "[", "`", "**", "- ", "#", "  - a\n", "- a: !string [x] ", "\t", "![", "&", "```\n", "<!--", "[](", "> ",
            "- [private]", "\n\n", "日", "- a: !b\n",
        ])
    func parserTimeIsLinear(fragment: String) {
        func time(_ count: Int) -> Duration {
            let bytes = Array(("# cat\n\nText " + String(repeating: fragment, count: count)).utf8)
            let start = threadTime()
            check(bytes)
            return threadTime() - start
        }
        _ = time(10)
        let small = (0..<3).map { _ in time(500) }.min() ?? .zero
        let large = time(8_000)
        // 16 times the input: quadratic work would take 256 times as long.
        #expect(large < small * 100 + .milliseconds(50), "\(small) became \(large)")
    }
}
