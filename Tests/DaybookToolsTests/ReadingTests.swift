import DaybookBase
import DaybookTools
import Testing

@Suite struct ReadTimeTests {
    private static let time: Int64 = 1_795_617_389_123_456_000

    @Test(
        "The size of a number determines its unit",
        arguments: [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")] as [(Int64, String)])
    func sizeTellsUnit(nanoseconds: Int64, unit: String) {
        let number = Self.time / nanoseconds
        let whole = number * nanoseconds
        #expect(ReadTime.nanoseconds(of: .int(number)) == whole)
        #expect(ReadTime.nanoseconds(of: .string(String(number))) == whole)
        #expect(ReadTime.nanoseconds(of: .int(-number)) == -whole)
        if nanoseconds > 1 { #expect(ReadTime.nanoseconds(of: .double(Double(number))) == whole) }
    }

    @Test("Fractions of a second are read exactly") func fractionsAreExact() {
        for micros in stride(from: Int64(0), to: 1_000_000, by: 7_919) {
            let seconds = "1795617389." + String(1_000_000 + micros).dropFirst()
            let expected = 1_795_617_389_000_000_000 + micros * 1_000
            #expect(ReadTime.nanoseconds(of: seconds) == expected, "\(seconds)")
            #expect(ReadTime.nanoseconds(of: .double(Double(seconds) ?? 0)) == expected, "\(seconds)")
        }
        #expect(ReadTime.nanoseconds(of: .double(1_795_617_389_123.25)) == 1_795_617_389_123_250_000)
        #expect(ReadTime.nanoseconds(of: .double(-0.5)) == -500_000_000)
    }

    @Test("Unambiguous variants of RFC 3339 are read") func readsNearRFC3339() {
        let time: Int64 = 1_795_168_931_000_000_000
        let offsets =
            [
                ("Z", 0), ("z", 0), (" Z", 0), (" UTC", 0), (" GMT", 0), ("+0000", 0), (" +0000", 0), ("+09:00", 9),
                ("+0900", 9),
                ("+09", 9), (" +0900", 9), ("-0330", -3.5), ("+09:00[Asia/Tokyo]", 9), ("Z[UTC]", 0),
            ] as [(String, Double)]
        for (offset, hours) in offsets {
            for separator in ["T", " ", "t"] {
                for (clock, rest) in [
                    ("10:02:11", 0), ("10:02:11.204", 204_000_000), ("10:02:11,204", 204_000_000),
                    ("10:02", -11_000_000_000),
                ] as [(String, Int64)] {
                    for padding in ["", " "] {
                        let text = padding + "2026-11-20\(separator)\(clock)\(offset)" + padding
                        let expected = time + rest - Int64(hours * 3_600) * 1_000_000_000
                        #expect(ReadTime.nanoseconds(of: text) == expected, "\(text)")
                    }
                }
            }
        }
    }

    @Test(
        "An error names what a time lacks",
        arguments: [
            ("2026-11-20T10:02:11", "no offset"), ("2026-11-20 10:02", "no offset"), ("2026-11-20", "no time of day"),
            ("2026-11-20T10:02:11.5", "no offset"), ("noon", "not \"noon\""), ("2026-13-20T10:02:11Z", "not \"2026-13"),
            ("20/11/2026", "not \"20/11/2026\""),
        ])
    func namesMissingPart(text: String, words: String) {
        #expect(ReadTime.nanoseconds(of: text) == nil)
        #expect(ReadTime.problem(of: .string(text)).contains(words), "\(ReadTime.problem(of: .string(text)))")
    }

    @Test("Each unit reaches the year 9999", arguments: [1, 1_000, 1_000_000] as [Int64])
    func unitsReachYear9999(perSecond: Int64) {
        let end = Timestamp(rfc3339: "9999-12-31T23:59:59Z")?.nanoseconds
        #expect(end == .max && ReadTime.nanoseconds(of: 253_402_300_799 * perSecond) == end)
        #expect(ReadTime.nanoseconds(of: String(253_402_300_799 * perSecond)) == end)
        #expect(ReadTime.nanoseconds(of: .double(-253_402_300_799 * Double(perSecond))) == .min)
    }

    @Test("OTLP numbers too small to be times stay nanoseconds") func smallOTLPIsNanoseconds() {
        for number: Int64 in [0, 1, 55, 1_199_999_999, -1, -1_000] {
            #expect(ReadTime.nanoseconds(ofOTLP: number) == number)
        }
        for number: Int64 in [1_795_168_931, -1_795_168_931, 1_795_168_931_000_000_000, .min, .max] {
            #expect(ReadTime.nanoseconds(ofOTLP: number) == ReadTime.nanoseconds(of: number))
        }
    }

    @Test(
        "A query accepts days and plausible numbers as times",
        arguments: [
            ("2026-11-20", 1_795_132_800), ("2026-11-20T10:02", 1_795_168_920), ("2026-11-20 10:02:11", 1_795_168_931),
            ("2026-11-20T10:02+0900", 1_795_136_520), ("1795168931", 1_795_168_931), ("1795168931000", 1_795_168_931),
            ("20261120", nil), ("7", nil), ("yesterday", nil),
        ] as [(String, Int64?)])
    func queryTakesDays(text: String, seconds: Int64?) {
        #expect(ReadTime.nanoseconds(ofQuestion: text) == seconds.map { $0 * 1_000_000_000 })
    }

    @Test(
        "Values that are not times are rejected",
        arguments: [
            .string(""), .string("yesterday"), .string("2026-11-25"), .bool(true), .null, .array([.int(1)]),
            .double(.nan),
            .double(.infinity), .double(1e300), .string("1e300"), .string("١٧٩٥٦١٧٣٨٩"),
        ] as [Value])
    func rejectsNonTimes(value: Value) {
        #expect(ReadTime.nanoseconds(of: value) == nil)
    }
}

@Suite struct UnreadTests {
    @Test("Unread names are counted and bounded") func countsAreBounded() {
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

    @Test("The most frequent names come first") func frequentFirst() {
        var unread = Unread()
        for (name, times) in [("a", 1), ("b", 3), ("c", 2)] { unread.add(name, times: times) }
        #expect(unread.text() == "b (3), c (2), a (1)")
        #expect(unread.text(limit: 1) == "b (3), 2 more")
        unread.add(String(repeating: "é", count: 500))
        #expect(unread.counts.keys.allSatisfy { $0.utf8.count <= Unread.longestName })
    }
}
