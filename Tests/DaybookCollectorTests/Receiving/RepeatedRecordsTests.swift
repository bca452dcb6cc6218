import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookOTLP
import DaybookStore
import DaybookTools
import Testing

@testable import DaybookCollector

/// Optional deduplication of records from senders without numbers.
@Suite(.timeLimit(.minutes(5))) struct RepeatedRecordsTests {
    private struct Answer: Equatable {
        var status: Int
        var text: String
    }

    private final class Clock: Sendable {
        let now = Atomic<UInt64>(1_000)
    }

    private let store = MemoryStore()
    private let clock = Clock()

    private func ingest(_ repeats: RepeatedRecords?, store: (any EventStore)? = nil) -> IngestHandler {
        IngestHandler(
            store: store ?? self.store,
            clock: .init(wall: { 7 }, monotonic: { [clock] in clock.now.load(ordering: .relaxed) })
        ) {
            $0.repeats = repeats
            $0.retryDelay = { 3 }
        }
    }

    private func send(_ body: String, _ ingest: IngestHandler, path: String = "/v1/events") async -> Answer {
        let type = path == "/v1/events" ? "application/x-ndjson" : "application/json"
        let head = HTTPRequest.Head(method: "POST", path: path, headers: ["content-type": type])
        let response = await ingest.respond(to: HTTPRequest(head: head, body: Array(body.utf8)))
        return Answer(status: response.status, text: response.text)
    }

    private static func logs(_ uid: String?, resource: String = "a", message: String = "m") -> String {
        let attributes = uid.map { #"{"key":"log.record.uid","value":{"stringValue":"\#($0)"}}"# } ?? ""
        return #"""
            {"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"\#(resource)"}}]},
            "scopeLogs":[{"logRecords":[{"timeUnixNano":"1795168931000000000","body":{"stringValue":"\#(message)"},
            "attributes":[\#(attributes)]}]}]}]}
            """#
    }

    @Test("A repeated UID is stored once within the window") func storesUIDOnceInWindow() async throws {
        let ingest = ingest(RepeatedRecords(window: 100))
        let line = #"{"tag":"a.b","uid":"u-1"}"#
        #expect(await send(line, ingest).text == #"{"stored":1,"duplicates":0}"#)
        clock.now.store(1_099, ordering: .relaxed)
        #expect(await send(line + "\n" + #"{"tag":"a.b","uid":"u-2"}"#, ingest).text == #"{"stored":1,"duplicates":1}"#)
        clock.now.store(1_100, ordering: .relaxed)
        #expect(await send(line, ingest).text == #"{"stored":1,"duplicates":0}"#)
        clock.now.store(1_198, ordering: .relaxed)
        #expect(
            await send(#"{"tag":"a.b","uid":"u-2"}"# + "\n" + line + "\n" + line, ingest).text
                == #"{"stored":0,"duplicates":3}"#)
    }

    @Test("A record repeated in one request is stored once") func storesUIDOncePerRequest() async throws {
        let line = #"{"tag":"a.b","uid":"u-1"}"# + "\n"
        #expect(await send(line + line, ingest(RepeatedRecords(window: 100))).text == #"{"stored":1,"duplicates":1}"#)
        #expect(await send(line + line, ingest(nil)).text == #"{"stored":2,"duplicates":0}"#)
    }

    /// In OTLP, the resource identifies who counts; records without a sender's UID are never repeats.
    @Test("Compares only UIDs of the same sender") func comparesSameSenderOnly() async throws {
        let ingest = ingest(RepeatedRecords(window: 100))
        for _ in 1...2 {
            _ = await send(Self.logs("7"), ingest, path: "/v1/logs")
            _ = await send(Self.logs("7", resource: "b"), ingest, path: "/v1/logs")
            _ = await send(Self.logs(nil), ingest, path: "/v1/logs")
            _ = await send(#"{"tag":"a.b"}"#, ingest)
        }
        #expect(try await store.head() == 6)
    }

    /// UIDs that are blank, constant or restarted must not lose a record.
    @Test(
        "Records with one UID that differ are all stored",
        arguments: [
            #"{"tag":"a.b","uid":""}"#, #"{"tag":"a.b","uid":" \t"}"#, #"{"tag":"a.c","uid":"u"}"#,
            #"{"tag":"a.b","uid":"u","message":"m"}"#, #"{"tag":"a.b","uid":"u","attributes":{"n":1}}"#,
            #"{"tag":"a.b","uid":"u","kind":"message"}"#, #"{"tag":"a.b","uid":"u","level":"error"}"#,
            #"{"tag":"a.b","uid":"u","time":"2026-11-20T10:02:11Z"}"#, #"{"tag":"a.b","uid":"u","session":"s"}"#,
        ]) func storesDifferingRecords(line: String) async throws
    {
        let ingest = ingest(RepeatedRecords(window: 100))
        let isBlank = !line.contains(#""uid":"u""#)
        #expect(await send(#"{"tag":"a.b","uid":"u"}"#, ingest).text == #"{"stored":1,"duplicates":0}"#)
        #expect(await send(line, ingest).text == #"{"stored":1,"duplicates":0}"#)
        #expect(
            await send(line, ingest).text
                == (isBlank ? #"{"stored":1,"duplicates":0}"# : #"{"stored":0,"duplicates":1}"#))
        #expect(try await store.head() == (isBlank ? 3 : 2))
    }

    /// Every member of a line, and the identifiers and end of a span.
    @Test("Records that differ in any member are all stored") func everyMemberDistinguishes() async throws {
        let values: [String: [String]] = [
            "time": ["1795168931", "1795168932"], "kind": [#""message""#, #""error""#], "level": ["5", "17"],
            "tag": [#""a.c""#, #""a.d""#], "message": [#""m""#, #""n""#], "module": [#""M""#, #""N""#],
            "attributes": [#"{"n":1}"#, #"{"n":2}"#], "context": [#"{"n":1}"#, #"{"n":2}"#],
            "session": [#""s""#, #""t""#], "installation": [#""i""#, #""j""#], "seq": ["1", "2"],
            "trace_id": [#""0102030405060708090a0b0c0d0e0f10""#, #""1102030405060708090a0b0c0d0e0f10""#],
            "span_id": [#""0102030405060708""#, #""1102030405060708""#],
            "parent_span_id": [#""0102030405060708""#, #""1102030405060708""#], "duration": ["1", "2"],
            "file": [#""A.swift""#, #""B.swift""#], "function": [#""a()""#, #""b()""#], "line": ["1", "2"],
        ]
        #expect(Set(values.keys) == RecordMembers.names.subtracting(["id", "uid"]))
        let ingest = ingest(RepeatedRecords(window: 100))
        let lines = values.sorted { $0.key < $1.key }.flatMap { name, values in
            values.map { #"{"uid":"u","\#(name)":\#($0)\#(name == "tag" ? "" : #","tag":"a.b""#)}"# }
        }
        for _ in 1...2 { _ = await send(lines.joined(separator: "\n"), ingest) }
        #expect(try await store.head() == Int64(lines.count))
        for (id, end) in [("0102030405060708", 2), ("1102030405060708", 2), ("0102030405060708", 3)] {
            let span = #"""
                {"name":"s","spanId":"\#(id)","startTimeUnixNano":"1795168931000000000",
                "endTimeUnixNano":"179516893\#(end)000000000",
                "attributes":[{"key":"log.record.uid","value":{"stringValue":"u"}}]}
                """#
            let body = #"{"resourceSpans":[{"scopeSpans":[{"spans":[\#(span)]}]}]}"#
            for _ in 1...2 { _ = await send(body, ingest, path: "/v1/traces") }
        }
        #expect(try await store.head() == Int64(lines.count + 3))
    }

    @Test("Reports a UID that is not text", arguments: ["7", "true", #"{"a":1}"#, "[1]", "1.5"]) func reportsNonTextUID(
        value: String
    )
        async throws
    {
        let rules = try RequestRules(
            json: #"{"rules": [{"path": "/a", "event": "{body.e}", "uid": "body.id", "attributes": []}]}"#)
        let ingest = IngestHandler(store: store) {
            $0.requests = TeamRequests(rules)
            $0.repeats = RepeatedRecords(window: 100)
        }
        let answer = await send(#"{"e": "a.b", "id": \#(value)}"#, ingest, path: "/v1/requests/a").text
        // A whole number is accepted as its digits.
        #expect(answer.contains("body.id is no text (1)") == (value != "7"), "\(answer)")
        let attribute = #"{"key":"log.record.uid","value":{"intValue":"7"}}"#
        let logs = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[\#(attribute)]}]}]}]}"#
        #expect(await send(logs, ingest, path: "/v1/logs").text.contains("log.record.uid is no text (1)"))
    }

    @Test("Ignores a blank OTLP UID", arguments: ["", " "]) func ignoresBlankUID(uid: String) async throws {
        let ingest = ingest(RepeatedRecords(window: 100))
        for _ in 1...2 { _ = await send(Self.logs(uid), ingest, path: "/v1/logs") }
        _ = await send(Self.logs("7"), ingest, path: "/v1/logs")
        _ = await send(Self.logs("7", message: "other"), ingest, path: "/v1/logs")
        #expect(try await store.head() == 4)
    }

    @Test("A record that was not stored may be sent again") func acceptsRetryAfterFailure() async throws {
        let fails = Atomic<Bool>(true)
        let failing = AppendingStore { [store] batch in
            if fails.load(ordering: .relaxed) { throw StoreError(.storage, "full") }
            return try await store.append(batch)
        }
        let ingest = ingest(RepeatedRecords(window: 100), store: failing)
        let line = #"{"tag":"a.b","uid":"u-1"}"#
        #expect(await send(line, ingest).status == 503)
        fails.store(false, ordering: .relaxed)
        #expect(await send(line, ingest).text == #"{"stored":1,"duplicates":0}"#)
    }

    /// The sender gave up waiting; whether the first request will be stored is not yet known.
    @Test("A repeat is answered with 503 while the first is being stored") func concurrentRepeatIs503() async throws {
        let repeats = RepeatedRecords(window: 100)
        let (inside, entered) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let slow = AppendingStore { [store] batch in
            entered.yield()
            for await _ in gate { break }
            return try await store.append(batch)
        }
        let line = #"{"tag":"a.b","uid":"u-1"}"#
        async let first = send(line, ingest(repeats, store: slow))
        for await _ in inside { break }
        let second = await send(line + "\n" + #"{"tag":"a.b","uid":"u-2"}"#, ingest(repeats))
        #expect(second.status == 503 && second.text.contains("Send it again later."))
        open.yield()
        #expect(await first.text == #"{"stored":1,"duplicates":0}"#)
        #expect(
            await send(line + "\n" + #"{"tag":"a.b","uid":"u-2"}"#, ingest(repeats)).text
                == #"{"stored":1,"duplicates":1}"#)
    }

    @Test("The memory of UIDs is bounded and forgets the oldest") func forgetsOldestUIDs() async throws {
        let ingest = ingest(RepeatedRecords(window: 1_000_000, most: 10))
        func lines(_ range: ClosedRange<Int>) -> String {
            range.map { #"{"tag":"a.b","uid":"u-\#($0)"}"# }.joined(separator: "\n")
        }
        for number in 1...25 { _ = await send(lines(number...number), ingest) }
        #expect(await send(lines(16...25), ingest).text == #"{"stored":0,"duplicates":10}"#)
        #expect(await send(lines(1...1), ingest).text == #"{"stored":1,"duplicates":0}"#)
    }

    @Test("A rule can name the UID of a request") func ruleNamesUID() async throws {
        let rules = try RequestRules(
            json: #"{"rules": [{"path": "/batch", "each": "body", "event": "{item.e}", "uid": "item.id"}]}"#)
        let ingest = IngestHandler(store: store, clock: .init(wall: { 7 }, monotonic: { 1_000 })) {
            $0.requests = TeamRequests(rules)
            $0.repeats = RepeatedRecords(window: 100)
        }
        let body = #"[{"e": "a.b", "id": "m-1"}, {"e": "a.b"}]"#
        #expect(await send(body, ingest, path: "/v1/requests/batch").text == #"{"stored":2,"duplicates":0}"#)
        #expect(await send(body, ingest, path: "/v1/requests/batch").text == #"{"stored":1,"duplicates":1}"#)
    }
}
