import Daybook
import DaybookBase
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

/// A request means the same in Protobuf and in JSON.
@Suite struct EncodingTests {
    @Test("Logs give the same rows in Protobuf and JSON", arguments: 1...8 as ClosedRange<UInt64>)
    func logEncodingsAgree(
        seed: UInt64
    ) throws {
        let request = RandomRequests(seed: seed).logs()
        let batches = try OTLPRequest.batches(ofProtobuf: request.protobuf(), .logs, now: 7)
        expectEqual(try OTLPRequest.batches(ofJSON: request.json(), .logs, now: 7), batches)
        #expect(
            batches.reduce(0) { $0 + $1.rows.count }
                == request.resources.flatMap(\.scopes).flatMap(\.records).count)
    }

    @Test("Traces give the same rows in Protobuf and JSON", arguments: 1...8 as ClosedRange<UInt64>)
    func traceEncodingsAgree(
        seed: UInt64
    ) throws {
        let request = RandomRequests(seed: seed).traces()
        let batches = try OTLPRequest.batches(ofProtobuf: request.protobuf(), .traces, now: 7)
        expectEqual(try OTLPRequest.batches(ofJSON: request.json(), .traces, now: 7), batches)
        #expect(
            batches.reduce(0) { $0 + $1.rows.count }
                == request.resources.flatMap(\.scopes).flatMap(\.spans).count)
    }

    /// Protobuf's spelling throughout, or for every other name.
    @Test("Field names in Protobuf spelling give the same rows", arguments: 1...4 as ClosedRange<UInt64>, [1, 2])
    func readsProtoFieldNames(
        seed: UInt64, every: Int
    ) throws {
        let requests = RandomRequests(seed: seed)
        for (signal, json) in [(OTLPSignal.logs, requests.logs().json()), (.traces, requests.traces().json())] {
            var count = 0
            let respelt = JSONWriter.text(
                respelt(try JSONReader.value(of: json)) { name in
                    count += 1
                    return count % every == 0 ? snakeCase(name) : name
                })
            var (unread, unreadRespelt) = (Unread(), Unread())
            let batches = try OTLPRequest.batches(ofJSON: json, signal, now: 7, unread: &unread)
            expectEqual(
                try OTLPRequest.batches(ofJSON: Array(respelt.utf8), signal, now: 7, unread: &unreadRespelt), batches)
            #expect(unread == unreadRespelt)
        }
    }

    /// All object keys in a request are members of messages: attribute names are values of `key`.
    private func respelt(_ value: Value, _ name: (String) -> String) -> Value {
        switch value {
        case .array(let elements): .array(elements.map { respelt($0, name) })
        case .object(let object): .object(Attributes(object.elements.map { (name($0.key), respelt($0.value, name)) }))
        default: value
        }
    }

    private func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }

    private func expectEqual(_ batches: [RecordBatch], _ others: [RecordBatch]) {
        #expect(batches.map(\.rows) == others.map(\.rows))
        #expect(batches.map(\.origin) == others.map(\.origin))
        #expect(batches.map(\.losses) == others.map(\.losses))
    }

    /// Texts that JSON escapes are decoded into the reader's buffer, which grows and is reused for the next record.
    @Test("Long and short JSON texts in one request do not mix") func jsonTextsStayApart() throws {
        let lengths = [0, 1, 5_000, 3, 100_000, 4_096, 2]
        let records = lengths.map { length in
            var record = LogRecord()
            record.body = .string(String(repeating: "b", count: length))
            record.eventName = "e\(length)"
            record.attributes = [
                "first": .string(String(repeating: "f", count: length)), "second": "s\(length)",
            ]
            return record
        }
        let request = ExportLogsRequest(resources: [ResourceLogs(scopes: [ScopeLogs(records: records)])]
        )
        #expect(try ExportLogsRequest(json: request.json()) == request)
    }
}

/// Requests of every shape that both encodings can express.
private struct RandomRequests {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func logs() -> ExportLogsRequest {
        var source = self
        return ExportLogsRequest(
            resources: source.some(0...3) { source in
                ResourceLogs(
                    resource: source.attributes(),
                    scopes: source.some(0...3) { source in
                        ScopeLogs(scope: source.scope(), records: source.some(0...30) { $0.logRecord() })
                    })
            })
    }

    func traces() -> ExportTraceRequest {
        var source = self
        return ExportTraceRequest(
            resources: source.some(0...3) { source in
                ResourceSpans(
                    resource: source.attributes(),
                    scopes: source.some(0...3) { source in
                        ScopeSpans(scope: source.scope(), spans: source.some(0...30) { $0.span() })
                    })
            })
    }

    private mutating func some<Element>(
        _ count: ClosedRange<Int>, _ make: (inout RandomRequests) -> Element
    ) -> [Element] {
        (0..<Int.random(in: count, using: &random)).map { _ in make(&self) }
    }

    private mutating func scope() -> InstrumentationScope {
        var scope = InstrumentationScope(name: text(), version: text(), attributes: attributes())
        if chance() { scope = Sender.scope(after: 0, through: 100, contextKeys: ["plan", "日本"]) }
        return scope
    }

    private mutating func logRecord() -> LogRecord {
        var record = LogRecord()
        record.time = number()
        record.observedTime = number()
        record.severityNumber = .random(in: -1...30, using: &random)
        record.severityText = pick(["", "warn", "Error", "?"])
        if chance() { record.body = value(depth: 0) }
        record.attributes = attributes()
        record.droppedAttributes = pick([0, 3, .max])
        record.traceID = identifier(16)
        record.spanID = identifier(8)
        record.eventName = pick(["", "recipe.show", text()])
        return record
    }

    private mutating func span() -> Span {
        var span = Span()
        span.traceID = identifier(16)
        span.spanID = identifier(8)
        span.parentSpanID = identifier(8)
        span.traceState = text()
        span.name = text()
        span.kind = .random(in: -1...7, using: &random)
        span.start = number()
        span.end = number()
        span.attributes = attributes()
        span.droppedAttributes = pick([0, 3, .max])
        span.events = some(0...2) { source in
            var event = Span.Event()
            event.time = source.number()
            event.name = source.text()
            event.attributes = source.attributes()
            return event
        }
        span.links = some(0...2) { source in
            var link = Span.Link()
            link.traceID = source.identifier(16)
            link.spanID = source.identifier(8)
            link.attributes = source.attributes()
            return link
        }
        span.status = pick([.unset, .ok, .error])
        span.statusMessage = text()
        return span
    }

    private mutating func attributes(depth: Int = 0) -> Attributes {
        var attributes = Attributes()
        attributes.elements = some(0...6) { source in
            let names = [
                "plan", "日本", "a\"b", "", "session.id", "code.line.number", "log.record.uid", "daybook.tag",
                "daybook.kind", "exception.type", "http.request.method", "app.installation.id",
                source.text(),
            ]
            return Attributes.Element(source.pick(names), source.value(depth: depth))
        }
        return attributes
    }

    private mutating func value(depth: Int) -> Value {
        switch Int.random(in: 0..<(depth < 4 ? 9 : 7), using: &random) {
        case 0: .null
        case 1: .bool(chance())
        case 2:
            .int(.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random))
        case 3:
            .double(
                pick([
                    0.1, -0.0, 3, .infinity, -.infinity, .nan, .greatestFiniteMagnitude,
                    .leastNonzeroMagnitude,
                ]))
        case 4: .bytes(some(0...5) { .random(in: 0...255, using: &$0.random) })
        case 5, 6: .string(text())
        case 7: .array(some(0...3) { $0.value(depth: depth + 1) })
        default: .object(attributes(depth: depth + 1))
        }
    }

    private mutating func text() -> String {
        String(
            some(0...12) {
                $0.pick(
                    ["a", "B", " ", "\"", "\\", "\n", "\u{0}", "\u{1F}", "é", "卵", "🥚", "\u{FFFD}"]
                        as [Character])
            })
    }

    private mutating func number() -> UInt64 {
        pick([0, 1, .max, UInt64(Int64.max), .random(in: 0 ... .max, using: &random)])
    }

    /// A valid one, an absent one, zeros, or another length.
    private mutating func identifier(_ count: Int) -> String? {
        let digits = some(count...count) { source in
            source.pick(["01", "ab", "ff", "00"])
        }.joined()
        return pick([digits, nil, String(repeating: "0", count: 2 * count), "0a", digits + "0f"])
    }

    private mutating func chance() -> Bool { .random(using: &random) }

    private mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: choices.indices, using: &random)]
    }
}
