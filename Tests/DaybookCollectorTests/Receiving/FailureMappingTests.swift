import Daybook
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import DaybookStore
import Testing

/// Severities that senders express in their own ways.
@Suite struct FailureMappingTests {
    private let collector: Collector

    init() throws { collector = try Collector() }

    private func row(_ change: (inout LogRecord) -> Void) async throws -> RecordRow {
        var record = LogRecord()
        change(&record)
        await collector.send(ExportLogsRequest(resources: [ResourceLogs(scopes: [ScopeLogs(records: [record])])]))
        return try #require(try await collector.rows().last)
    }

    private func row(_ change: (inout Span) -> Void) async throws -> RecordRow {
        var span = Span()
        span.name = "work"
        change(&span)
        await collector.send(ExportTraceRequest(resources: [ResourceSpans(scopes: [ScopeSpans(spans: [span])])]))
        return try #require(try await collector.rows().last)
    }

    @Test(
        "An exception without a severity is an error",
        arguments: ["exception.type", "exception.message", "exception.stacktrace"])
    func exceptionLogIsError(name: String) async throws {
        let plain = try await row { (record: inout LogRecord) in record.attributes = [name: "x"] }
        #expect(plain.level == 17 && plain.kind == .error)
        let event = try await row { (record: inout LogRecord) in
            record.eventName = "device.anr"
            record.attributes = [name: "x"]
        }
        #expect(event.level == 17 && event.kind == .event)
        let unknown = try await row { (record: inout LogRecord) in
            record.severityText = "loud"
            record.attributes = [name: "x"]
        }
        #expect(unknown.level == 17 && unknown.attributes.contains(#""otel.severity_text":"loud""#))
    }

    @Test(
        "A crash event is fatal",
        arguments: [
            "app.crash", "device.crash", "crash", "my.app.Crash", "app_crash", "ios-crash", "app.crash.1",
            "appCrash", "AppCrash", "app.crashed", "crash_report", "CrashReport", "APP_CRASHED", "App crashed",
        ])
    func crashEventIsFatal(name: String) async throws {
        #expect(try await row { (record: inout LogRecord) in record.eventName = name }.level == 21)
        let older = try await row { (record: inout LogRecord) in
            record.attributes = ["event.name": .string(name), "exception.type": "SIGSEGV"]
        }
        #expect(older.level == 21)
    }

    @Test(
        "An event named exception is an error",
        arguments: ["exception", "Exception", "app.exception", "uncaught_exception"])
    func exceptionEventIsError(name: String) async throws {
        #expect(try await row { (record: inout LogRecord) in record.eventName = name }.level == 17)
    }

    @Test(
        "Names that only contain crash are not crashes",
        arguments: ["crash.test", "crashlytics.start", "app.crashed_before", "recipe.show"])
    func otherNamesAreNoCrash(name: String) async throws {
        #expect(try await row { (record: inout LogRecord) in record.eventName = name }.level == 0)
    }

    @Test("The severity that the sender gives wins") func senderSeverityWins() async throws {
        for (number, text, level) in [(9, "", 9), (0, "warning", 13), (0, "W", 13), (0, "SEVERE", 17), (0, "17", 17)]
            as [(Int32, String, Int)]
        {
            let row = try await row { (record: inout LogRecord) in
                record.severityNumber = number
                record.severityText = text
                record.eventName = "app.crash"
                record.attributes = ["exception.type": "E"]
            }
            #expect(row.level == level && !row.attributes.contains("otel.severity"))
        }
    }

    @Test("Keeps severities that fit no column as attributes") func keepsOddSeverities() async throws {
        let beyond = try await row { (record: inout LogRecord) in record.severityNumber = 30 }
        #expect(beyond.level == 0 && beyond.attributes == #"{"otel.severity_number":30}"#)
        let both = try await row { (record: inout LogRecord) in
            record.severityNumber = 10
            record.severityText = "AUDIT"
        }
        #expect(both.level == 10 && both.attributes == #"{"otel.severity_text":"AUDIT"}"#)
    }

    @Test("A span with an exception is an error unless its status is OK") func exceptionSpanIsError() async throws {
        var exception = Span.Event()
        exception.name = "exception"
        var named = Span.Event()
        named.name = "failed"
        named.attributes = ["exception.message": "m"]
        var retry = Span.Event()
        retry.name = "retry"
        for (events, status, level) in [
            ([exception], .unset, 17), ([retry, named], .unset, 17), ([retry], .unset, 9), ([exception], .ok, 9),
            ([], .error, 17),
        ] as [([Span.Event], Span.Status, Int)] {
            let row = try await row { (span: inout Span) in
                span.events = events
                span.status = status
            }
            #expect(row.level == level)
        }
        #expect(try await row { (span: inout Span) in span.attributes = ["exception.type": "E"] }.level == 17)
    }

    @Test("Sessions count exceptions and crashes as errors") func sessionsCountCrashes() async throws {
        for name in ["app.crash", ""] {
            _ = try await row { (record: inout LogRecord) in
                record.eventName = name
                record.attributes = ["exception.type": "E", "session.id": "s"]
            }
        }
        let sessions = try await collector.store.sessions(SessionQuery())
        #expect(sessions.map(\.errors) == [2])
    }

    // MARK: Times

    /// 2026-11-25T10:00:00.123Z in each unit that senders use.
    @Test(
        "Infers the unit of an OTLP time from its magnitude",
        arguments: [
            (1_795_600_800_123_000_000, 0), (1_795_600_800_123_000, 0), (1_795_600_800_123, 0),
            (1_795_600_800, 123_000_000),
        ] as [(UInt64, Int64)])
    func infersOTLPTimeUnit(sent: UInt64, rest: Int64) async throws {
        let time = 1_795_600_800_123_000_000 - rest
        #expect(try await row { (record: inout LogRecord) in record.time = sent }.time == time)
        #expect(try await row { (record: inout LogRecord) in record.observedTime = sent }.time == time)
        let span = try await row { (span: inout Span) in
            span.start = sent
            span.end = sent + (sent / 1_795_600_800) * 2
        }
        #expect(span.time == time && span.duration == 2_000_000_000)
    }

    @Test(
        "Reads JSON times as numbers or strings",
        arguments: [
            (#""1795600800123""#, 0), ("1795600800123", 0), ("1795600800.123", 0), (#""1795600800.123""#, 0),
            ("1.795600800123e12", 0), (#""2026-11-25T10:00:00.123Z""#, 0), (#""1795600800""#, 123_000_000),
        ] as [(String, Int64)])
    func readsJSONTimes(json: String, rest: Int64) async throws {
        for name in ["timeUnixNano", "observedTimeUnixNano", "time_unix_nano"] {
            let body = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"\#(name)":\#(json)}]}]}]}"#
            let rows = try OTLPRequest.batches(ofJSON: Array(body.utf8), .logs, now: 1)[0].rows
            #expect(abs(rows[0].time - (1_795_600_800_123_000_000 - rest)) < 1_000)
        }
    }
}
