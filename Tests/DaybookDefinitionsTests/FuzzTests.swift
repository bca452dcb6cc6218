import Foundation
import Testing

@testable import DaybookDefinitions

/// Whatever the bytes, the compiler answers, the same each time, and generates only from definitions without errors.
struct FuzzTests {
    private static let fragments = [
        "#", "##", "\n", "\n\n", "- ", "  - ", "* ", "1. ", "a: !string 3", "[obsolete]", "[private]", "`", "**", "!",
        "?",
        "```", "<!--", "-->", "===", "---", "> ", "\t", "\r\n", "\r", "\0", "日本", "：", "[", "]", "(", ")", "&amp;",
        "\\", "a: Foo", "`v`: x", "# cat", "## e", "\u{FEFF}", "\u{2028}",
    ].map { Array($0.utf8) }

    private func check(_ bytes: [UInt8]) {
        let (definitions, diagnostics) = Definitions.load([(path: "cat.md", bytes: bytes)])
        #expect(Definitions.load([(path: "cat.md", bytes: bytes)]).1 == diagnostics)
        for diagnostic in diagnostics { #expect(diagnostic.location.line > 0 && diagnostic.location.column > 0) }
        _ = DumpGenerator.generate(definitions)
        guard !diagnostics.hasErrors else { return }
        _ = SwiftGenerator().generate(definitions)
    }

    @Test func mutatedFilesNeverCrash() throws {
        var random = SeededGenerator(state: 1)
        let seed = Array(try fixtures.appending(path: "Original").text(of: "shopping_list.md").utf8)
        let clock = ContinuousClock()
        let end = clock.now + .seconds(1)
        var rounds = 0
        repeat {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.removeSubrange(place..<min(place + 20, bytes.count - 1))
                case 2:
                    let fragment = FuzzTests.fragments.randomElement(using: &random) ?? []
                    bytes.insert(contentsOf: fragment, at: place)
                default: bytes.insert(contentsOf: bytes[place..<min(place + 30, bytes.count)], at: place)
                }
            }
            check(bytes)
            rounds += 1
        } while clock.now < end
        #expect(rounds > 10)
    }

    @Test func randomFragmentsNeverCrash() {
        var random = SeededGenerator(state: 2)
        let clock = ContinuousClock()
        let end = clock.now + .seconds(1)
        var rounds = 0
        repeat {
            check((0..<60).flatMap { _ in FuzzTests.fragments.randomElement(using: &random) ?? [] })
            rounds += 1
        } while clock.now < end
        #expect(rounds > 10)
    }

    /// Each of these was chosen to make a careless parser slow: twice the input may take about twice the time.
    @Test(arguments: [
        "[", "`", "**", "- ", "#", "  - a\n", "- a: !string [x] ", "\t", "![", "&", "```\n", "<!--", "[](", "> ",
        "- [private]", "\n\n", "日", "- a: !b\n",
    ])
    func hostileInputTakesLinearTime(fragment: String) {
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
