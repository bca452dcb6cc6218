import DaybookChecklist
import Testing

@Suite struct ChecklistWatchTests {
    private static let minute: Int64 = 60_000_000_000

    private func watch(_ item: String, window: Int64, step: Int64) throws -> ChecklistWatch {
        let run = try ChecklistRun(Checklist(markdown: "- [ ] " + item, file: "watch.md"))
        return ChecklistWatch(run, from: 0, window: window * Self.minute, step: step * Self.minute)
    }

    private func record(_ minute: Int64) -> TestRecord {
        TestRecord(tag: "shop.complete", number: minute, time: minute * Self.minute, columns: [:])
    }

    @Test("An event that stops coming fails the following windows") func missingEventFailsWindows() throws {
        var watch = try watch("shop.complete at least 1", window: 10, step: 5)
        var judged: [ChecklistWatch.Judgement] = []
        for minute in stride(from: Int64(1), to: 20, by: 3) {
            judged += watch.observe(record(minute), at: minute * Self.minute)
        }
        #expect(judged.map(\.start) == [0, 5 * Self.minute])
        #expect(judged.map(\.verdicts.passed) == [true, true])
        let later = watch.advance(to: 40 * Self.minute)
        #expect(later.map { $0.start / Self.minute } == [10, 15, 30])
        #expect(later.map(\.verdicts.passed) == [true, true, false])
        #expect(later.last?.verdicts.first?.items.first?.reason == "got none")
    }

    @Test("A long gap yields a bounded number of windows") func longGapIsBounded() throws {
        var watch = try watch("shop.complete", window: 10, step: 1)
        #expect(watch.advance(to: .max / 2).count <= 2 * ChecklistWatch.windowLimit)
    }

    @Test("A window is judged only by its own records") func windowJudgesOwnRecords() throws {
        var watch = try watch("shop.complete at most 2", window: 10, step: 10)
        var judged: [ChecklistWatch.Judgement] = []
        for minute in [1, 2, 11, 12, 13, 21] as [Int64] {
            judged += watch.observe(record(minute), at: minute * Self.minute)
        }
        #expect(judged.map(\.verdicts.passed) == [true, false])
    }
}
