import Daybook
import DaybookChecklist
import DaybookTesting
import Testing

/// The client and the checklists each have patterns of tags, because neither may import the other.
@Suite struct TagPatternTests {
    @Test func clientAndChecklistMeanTheSameByAPattern() {
        var random = SeededGenerator(seed: 7)
        func text(_ alphabet: [String]) -> String {
            (0..<Int.random(in: 0...6, using: &random)).map { _ in
                alphabet[Int.random(in: alphabet.indices, using: &random)]
            }
            .joined()
        }
        var patterns = 0
        var matches = 0
        for _ in 0..<20_000 {
            let pattern = text(["a", "aa", "ab", ".", ".", ".", "*", "**"])
            let client = try? Daybook.TagPattern(pattern)
            let checklist = try? DaybookChecklist.TagPattern(pattern)
            #expect((client == nil) == (checklist == nil), "\(pattern)")
            guard let client, let checklist else { continue }
            patterns += 1
            for _ in 0..<4 {
                let tag = text(["a", "b", "."])
                let isMatch = client.match(tag) != nil
                matches += isMatch ? 1 : 0
                #expect(isMatch == checklist.matches(tag), "\(pattern) \(tag)")
            }
        }
        #expect(patterns > 1_000)
        #expect(matches > 1_000)
    }
}
