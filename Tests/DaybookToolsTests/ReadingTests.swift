import DaybookBase
import DaybookTools
import Testing

@Suite struct ReadTimeTests {
    private static let time: Int64 = 1_795_617_389_123_456_000

    @Test(arguments: [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")] as [(Int64, String)])
    func aNumbersSizeTellsItsUnit(nanoseconds: Int64, unit: String) {
        let number = Self.time / nanoseconds
        let whole = number * nanoseconds
        #expect(ReadTime.nanoseconds(of: .int(number)) == whole)
        #expect(ReadTime.nanoseconds(of: .string(String(number))) == whole)
        #expect(ReadTime.nanoseconds(of: .int(-number)) == -whole)
        if nanoseconds > 1 { #expect(ReadTime.nanoseconds(of: .double(Double(number))) == whole) }
    }

    @Test func fractionsAreThoseThatWereWritten() {
        for micros in stride(from: Int64(0), to: 1_000_000, by: 7_919) {
            let seconds = "1795617389." + String(1_000_000 + micros).dropFirst()
            let expected = 1_795_617_389_000_000_000 + micros * 1_000
            #expect(ReadTime.nanoseconds(of: seconds) == expected, "\(seconds)")
            #expect(ReadTime.nanoseconds(of: .double(Double(seconds) ?? 0)) == expected, "\(seconds)")
        }
        #expect(ReadTime.nanoseconds(of: .double(1_795_617_389_123.25)) == 1_795_617_389_123_250_000)
        #expect(ReadTime.nanoseconds(of: .double(-0.5)) == -500_000_000)
    }

    @Test(
        arguments: [
            .string(""), .string("yesterday"), .string("2026-11-25"), .bool(true), .null, .array([.int(1)]),
            .double(.nan),
            .double(.infinity), .double(1e300), .string("1e300"), .string("١٧٩٥٦١٧٣٨٩"),
        ] as [Value])
    func whatIsNoTimeIsNone(value: Value) {
        #expect(ReadTime.nanoseconds(of: value) == nil)
    }
}

@Suite struct UnreadTests {
    @Test func namesAreCountedAndBounded() {
        var unread = Unread()
        #expect(unread.isEmpty && unread.total == 0)
        for number in 0..<1_000 { unread.add("name\(number % 100)") }
        #expect(unread.total == 1_000)
        #expect(unread.counts.count == Unread.most + 1)
        #expect(unread.counts["name0"] == 10)
        #expect(unread.counts[Unread.others] == 10 * (100 - Unread.most))
        var sum = Unread()
        sum.add(unread)
        sum.add(unread)
        #expect(sum.total == 2_000 && sum.counts["name0"] == 20)
    }

    @Test func theMostFrequentComeFirst() {
        var unread = Unread()
        for (name, times) in [("a", 1), ("b", 3), ("c", 2)] { unread.add(name, times: times) }
        #expect(unread.text() == "b (3), c (2), a (1)")
        #expect(unread.text(limit: 1) == "b (3), 2 more")
        unread.add(String(repeating: "é", count: 500))
        #expect(unread.counts.keys.allSatisfy { $0.utf8.count <= Unread.longestName })
    }
}
