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
