import Testing

@testable import DaybookStore

@Suite struct GramTests {
    private func grams(_ text: String) -> [UInt64] {
        var found: [UInt64] = []
        TextFolding.bytes(of: text).withUnsafeBufferPointer { folded in Gram.forEach(in: folded) { found.append($0) } }
        return found
    }

    private func gram(_ text: String) -> UInt64 {
        let units = text.unicodeScalars.map { UInt64($0.value) }
        return (0..<4).reduce(0) { $0 << 16 | ($1 < units.count ? units[$1] : 0) }
    }

    @Test(
        "A gram starts at each character of the text",
        arguments: [
            ("abcdef", ["abcd", "bcde", "cdef", "def", "ef", "f"]), ("abcd", ["abcd", "bcd", "cd", "d"]),
            ("卵焼き", ["卵焼キ", "焼キ", "キ"]), ("検索", ["検索", "索"]), ("x", ["x"]), ("", []),
        ])
    func gramsStartAtEachCharacter(text: String, expected: [String]) {
        #expect(grams(text) == expected.map(gram))
    }

    @Test("The gram table keeps the blocks of 100,000 grams") func gramTableKeepsBlocks() {
        let table = GramTable()
        for number in 1...100_000 {
            table.add(UInt64(number) << 48, blocks: 0)
            table.add(UInt64(number), blocks: 1 << UInt64(number % 64))
            table.add(UInt64(number), blocks: 1)
        }
        let entries = table.sorted()
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.gram < $1.gram })
        let small = entries.filter { (1...100_000).contains($0.gram) }
        #expect(small.count == 100_000)
        #expect(small.allSatisfy { UInt64(bitPattern: $0.blocks) == 1 << UInt64($0.gram % 64) | 1 })
    }
}
