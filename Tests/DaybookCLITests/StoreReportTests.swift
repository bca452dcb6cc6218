import DaybookCollector
import DaybookTools
import Testing

@testable import DaybookCLI

@Suite struct StoreReportTests {
    @Test("Reports a store failure when it begins and when it ends") func reportsFailureOnset() {
        var report = StoreReport()
        let start = ContinuousClock.now
        var failures = IngestMetrics.StoreFailures()
        #expect(report.next(failures, at: start) == nil)
        (failures.count, failures.cause, failures.isLasting) = (1, "The disk is full.", true)
        let begin = report.next(failures, at: start)
        #expect(begin?.isFailure == true)
        #expect(begin?.message.hasSuffix("The disk is full.") == true)
        // Each cause at once, then every minute.
        (failures.count, failures.cause) = (2, "The disk is gone.")
        #expect(report.next(failures, at: start + .seconds(1))?.message.hasSuffix("The disk is gone.") == true)
        (failures.count, failures.cause) = (5, "The disk is full.")
        #expect(report.next(failures, at: start + .seconds(60)) == nil)
        let sum = report.next(failures, at: start + .seconds(61))
        #expect(sum?.message.hasPrefix("3 batches could not be stored") == true)
        #expect(report.next(failures, at: start + .seconds(180)) == nil)
        failures.isLasting = false
        #expect(report.next(failures, at: start + .seconds(181))?.isFailure == false)
        #expect(report.next(failures, at: start + .seconds(240)) == nil)
        (failures.count, failures.cause, failures.isLasting) = (6, "The disk is gone.", true)
        #expect(report.next(failures, at: start + .seconds(241))?.message.hasSuffix("The disk is gone.") == true)
    }

    @Test("Bounds the reports of ever-changing causes") func boundsFailureReports() {
        var report = StoreReport()
        let start = ContinuousClock.now
        var failures = IngestMetrics.StoreFailures()
        failures.isLasting = true
        let told = (1...1_000).filter { number in
            (failures.count, failures.cause) = (number, "port \(number)")
            return report.next(failures, at: start + .milliseconds(number)) != nil
        }
        #expect((20...21).contains(told.count))
    }

    @Test("Reports failures between successes at most once a minute") func reportsPassingFailures() {
        var report = StoreReport()
        let start = ContinuousClock.now
        var failures = IngestMetrics.StoreFailures()
        (failures.count, failures.cause) = (3, "boom")
        let first = report.next(failures, at: start)
        #expect(first?.isFailure == true)
        #expect(first?.message.hasPrefix("3 batches") == true && first?.message.hasSuffix("boom") == true)
        failures.count = 9
        #expect(report.next(failures, at: start + .seconds(59)) == nil)
        #expect(report.next(failures, at: start + .seconds(60))?.message.hasPrefix("6 batches") == true)
        #expect(report.next(failures, at: start + .seconds(200)) == nil)
    }
}

@Suite struct LogReportTests {
    @Test("Reports a log that cannot be emptied once, and its recovery") func reportsFullLogOnce() {
        var report = LogReport()
        #expect(report.next(256 << 20) == nil)
        #expect(report.next((256 << 20) + 1)?.isFailure == true)
        #expect(report.next(1 << 40) == nil)
        #expect(report.next(200 << 20) == nil)
        #expect(report.next(0)?.isFailure == false)
        #expect(report.next(0) == nil)
    }
}

@Suite struct RetentionFailuresTests {
    @Test("Counts retention failures and reports when they begin") func countsRetentionFailures() {
        let failures = RetentionFailures()
        func sample() -> String {
            var text = PrometheusText()
            failures.write(to: &text)
            return text.text
        }
        #expect(sample().hasSuffix("\ndaybook_retention_failures_total 0\n"))
        #expect(failures.note())
        #expect(!failures.note() && failures.isFailing)
        failures.end()
        #expect(!failures.isFailing)
        #expect(failures.note())
        #expect(sample().hasSuffix("\ndaybook_retention_failures_total 3\n"))
    }
}

@Suite struct UnreadReportTests {
    @Test("Reports every unread name once") func reportsUnreadNamesOnce() {
        var report = UnreadReport()
        var unread = Unread()
        #expect(report.next(unread) == nil)
        unread.add("span.b")
        unread.add("span.a")
        #expect(report.next(unread) == ["span.a", "span.b"])
        unread.add("span.a")
        #expect(report.next(unread) == nil)
        unread.add("span.c")
        #expect(report.next(unread) == ["span.c"])
    }
}

@Suite struct RefusalReportTests {
    @Test("Reports refusals at most once a minute") func reportsRefusalsPerMinute() {
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
