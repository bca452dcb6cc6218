import Testing

@testable import DaybookCLI

@Suite struct StoreReportTests {
    @Test func aStoreThatFailsIsToldWhenItBeginsAndWhenItEnds() {
        var report = StoreReport()
        #expect(report.next(nil) == nil)
        let begin = report.next("The disk is full.")
        #expect(begin?.isFailure == true)
        #expect(begin?.message.hasSuffix("The disk is full.") == true)
        #expect(report.next("The disk is full.") == nil)
        #expect(report.next("The disk is still full.") == nil)
        #expect(report.next(nil)?.isFailure == false)
        #expect(report.next(nil) == nil)
    }
}

@Suite struct RefusalReportTests {
    @Test func manyRefusalsAreOneLineAMinute() {
        var report = RefusalReport()
        let start = ContinuousClock.now
        #expect(report.next([:], at: start) == nil)
        for second in 1..<60 {
            #expect(report.next(["key": second * 1_000], at: start + .seconds(second)) == nil)
        }
        #expect(report.next(["key": 60_000, "host": 2], at: start + .seconds(60)) == ["key": 60_000, "host": 2])
        #expect(report.next(["key": 60_000, "host": 2], at: start + .seconds(120)) == nil)
        #expect(report.next(["key": 60_001, "host": 2], at: start + .seconds(180)) == ["key": 1])
    }
}
