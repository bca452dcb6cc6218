import DaybookBase
import DaybookOTLP
import DaybookStore
import DaybookTools
import Testing

@testable import DaybookCollector

/// A value overridden by another of the same message or meaning is reported, in the same words for both encodings.
@Suite struct GivenTwiceTests {
    private func read(json: String, _ signal: OTLPSignal) throws -> (row: RecordRow?, told: [String: Int]) {
        var unread = Unread()
        let batches = try OTLPRequest.batches(ofJSON: Array(json.utf8), signal, now: 1, unread: &unread)
        return (batches.first?.rows.first, unread.counts)
    }

    private func read(protobuf: [UInt8], _ signal: OTLPSignal) throws -> (row: RecordRow?, told: [String: Int]) {
        var unread = Unread()
        let batches = try OTLPRequest.batches(ofProtobuf: protobuf, signal, now: 1, unread: &unread)
        return (batches.first?.rows.first, unread.counts)
    }

    // MARK: Fields of protobuf

    /// A field with two values, in both encodings.
    private struct Field: Sendable {
        var name: String
        var json: [String]
        var protobuf: [[UInt8]]

        static func text(_ name: String, _ number: Int) -> Field { .texts(name, number, ["a", "b"]) }

        static func texts(_ name: String, _ number: Int, _ texts: [String]) -> Field {
            Field(name: name, json: texts.map { "\"\($0)\"" }, protobuf: texts.map { Wire.text(number, $0) })
        }

        static func number(_ name: String, _ number: Int) -> Field {
            Field(name: name, json: ["1", "2"], protobuf: [Wire.number(number, 1), Wire.number(number, 2)])
        }

        static func fixed32(_ name: String, _ number: Int) -> Field {
            Field(name: name, json: ["1", "257"], protobuf: [Wire.fixed32(number, 1), Wire.fixed32(number, 257)])
        }

        static func time(_ name: String, _ number: Int) -> Field {
            let times: [UInt64] = [1_800_000_000_000_000_001, 1_800_000_000_000_000_002]
            return Field(
                name: name, json: times.map { "\"\($0)\"" }, protobuf: times.map { Wire.fixed64(number, $0) })
        }

        static func identifier(_ name: String, _ number: Int, _ count: Int) -> Field {
            Field(
                name: name,
                json: ["11", "22"].map { "\"" + String(repeating: $0, count: count) + "\"" },
                protobuf: [0x11, 0x22].map { Wire.bytes(number, [UInt8](repeating: $0, count: count)) })
        }

        static func message(_ name: String, _ number: Int, _ json: [String], _ protobuf: [[UInt8]]) -> Field {
            Field(name: name, json: json, protobuf: protobuf.map { Wire.bytes(number, $0) })
        }

        static func value(_ name: String, _ number: Int) -> Field {
            .message(
                name, number, [#"{"stringValue":"a"}"#, #"{"intValue":"2"}"#], [Wire.text(1, "a"), Wire.number(3, 2)])
        }

        static func named(_ name: String, _ number: Int, _ member: String, _ memberNumber: Int) -> Field {
            .message(
                name, number, ["{\"\(member)\":\"a\"}", "{\"\(member)\":\"b\"}"],
                [Wire.text(memberNumber, "a"), Wire.text(memberNumber, "b")])
        }

        static let resources = Field.message(
            "resource", 1,
            [1, 2].map { #"{"attributes":[{"key":"k\#($0)","value":{"intValue":"1"}}]}"# },
            ["k1", "k2"].map { Wire.bytes(1, Wire.text(1, $0) + Wire.bytes(2, Wire.number(3, 1))) })
    }

    /// A message's fields, and the request that contains them.
    private struct Place: Sendable {
        var message: String
        var signal = OTLPSignal.logs
        var fields: [Field]
        var json: @Sendable (String) -> String
        var protobuf: @Sendable ([UInt8]) -> [UInt8]
    }

    private static func logs(_ record: String) -> String {
        #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{\#(record)}]}]}]}"#
    }
    private static func spans(_ span: String) -> String {
        #"{"resourceSpans":[{"scopeSpans":[{"spans":[{\#(span)}]}]}]}"#
    }
    private static func spans(_ span: [UInt8]) -> [UInt8] { Wire.request([Wire.number(6, 1) + span]) }
    private static let own = Wire.bytes(2, Wire.fixed32(8, 1))
    private static let ownSpan = Wire.bytes(2, Wire.number(6, 1))

    private static let places: [Place] =
        [
            Place(
                message: "logRecord",
                fields: [
                    .time("timeUnixNano", 1), .number("severityNumber", 2),
                    .texts("severityText", 3, ["INFO", "WARN"]),
                    .text("name", 4),
                    .value("body", 5), .number("droppedAttributesCount", 7), .fixed32("flags", 8),
                    .identifier("traceId", 9, 16), .identifier("spanId", 10, 8), .time("observedTimeUnixNano", 11),
                    .text("eventName", 12),
                ], json: { logs($0) }, protobuf: { Wire.request([$0]) }),
            Place(
                message: "span", signal: .traces,
                fields: [
                    .identifier("traceId", 1, 16), .identifier("spanId", 2, 8), .text("traceState", 3),
                    .identifier("parentSpanId", 4, 8), .text("name", 5), .time("startTimeUnixNano", 7),
                    .time("endTimeUnixNano", 8), .number("droppedAttributesCount", 10),
                    .number("droppedEventsCount", 12),
                    .number("droppedLinksCount", 14), .named("status", 15, "message", 2), .fixed32("flags", 16),
                ], json: { spans($0) }, protobuf: { spans($0) }),
            Place(
                message: "span", signal: .traces, fields: [.number("kind", 6)],
                json: { spans("\"startTimeUnixNano\":\"1800000000000000000\"," + $0) },
                protobuf: { Wire.request([Wire.fixed64(7, 1_800_000_000_000_000_000) + $0]) }),
            Place(
                message: "status", signal: .traces,
                fields: [.number("deprecatedCode", 1), .text("message", 2), .number("code", 3)],
                json: { spans("\"status\":{\($0)}") }, protobuf: { spans(Wire.bytes(15, $0)) }),
            Place(
                message: "spanEvent", signal: .traces,
                fields: [.time("timeUnixNano", 1), .text("name", 2), .number("droppedAttributesCount", 4)],
                json: { spans("\"events\":[{\($0)}]") }, protobuf: { spans(Wire.bytes(11, $0)) }),
            Place(
                message: "spanLink", signal: .traces,
                fields: [
                    .identifier("traceId", 1, 16), .identifier("spanId", 2, 8), .text("traceState", 3),
                    .number("droppedAttributesCount", 5), .fixed32("flags", 6),
                ], json: { spans("\"links\":[{\($0)}]") }, protobuf: { spans(Wire.bytes(13, $0)) }),
            Place(
                message: "resource", fields: [.number("droppedAttributesCount", 2)],
                json: { #"{"resourceLogs":[{"resource":{\#($0)},"scopeLogs":[{"logRecords":[{}]}]}]}"# },
                protobuf: { Wire.bytes(1, Wire.bytes(1, $0) + Wire.bytes(2, own)) }),
            Place(
                message: "entityRef", fields: [.text("schemaUrl", 1), .text("type", 2)],
                json: {
                    #"{"resourceLogs":[{"resource":{"entityRefs":[{\#($0)}]},"scopeLogs":[{"logRecords":[{}]}]}]}"#
                },
                protobuf: { Wire.bytes(1, Wire.bytes(1, Wire.bytes(3, $0)) + Wire.bytes(2, own)) }),
            Place(
                message: "scope",
                fields: [.text("name", 1), .text("version", 2), .number("droppedAttributesCount", 4)],
                json: { #"{"resourceLogs":[{"scopeLogs":[{"scope":{\#($0)},"logRecords":[{}]}]}]}"# },
                protobuf: { Wire.bytes(1, Wire.bytes(2, Wire.bytes(1, $0) + own)) }),
            Place(
                message: "scopeLogs", fields: [.named("scope", 1, "name", 1), .text("schemaUrl", 3)],
                json: { #"{"resourceLogs":[{"scopeLogs":[{\#($0),"logRecords":[{}]}]}]}"# },
                protobuf: { Wire.bytes(1, Wire.bytes(2, $0 + own)) }),
            Place(
                message: "scopeSpans", signal: .traces,
                fields: [.named("scope", 1, "name", 1), .text("schemaUrl", 3)],
                json: { #"{"resourceSpans":[{"scopeSpans":[{\#($0),"spans":[{"kind":1}]}]}]}"# },
                protobuf: { Wire.bytes(1, Wire.bytes(2, $0 + ownSpan)) }),
            Place(
                message: "resourceLogs", fields: [.resources, .text("schemaUrl", 3)],
                json: { #"{"resourceLogs":[{\#($0),"scopeLogs":[{"logRecords":[{}]}]}]}"# },
                protobuf: { Wire.bytes(1, $0 + Wire.bytes(2, own)) }),
            Place(
                message: "resourceSpans", signal: .traces, fields: [.resources, .text("schemaUrl", 3)],
                json: { #"{"resourceSpans":[{\#($0),"scopeSpans":[{"spans":[{"kind":1}]}]}]}"# },
                protobuf: { Wire.bytes(1, $0 + Wire.bytes(2, ownSpan)) }),
        ] + keyValues

    /// A named value in every place that has one.
    private static let keyValues: [Place] = {
        let fields = [Field.text("key", 1), .value("value", 2)]
        @Sendable func list(_ pair: String) -> String {
            #"{"key":"l","value":{"kvlistValue":{"values":[{\#(pair)}]}}}"#
        }
        @Sendable func list(_ pair: [UInt8]) -> [UInt8] {
            Wire.text(1, "l") + Wire.bytes(2, Wire.bytes(6, Wire.bytes(1, pair)))
        }
        return [
            Place(
                message: "keyValue", fields: fields, json: { logs("\"attributes\":[{\($0)}]") },
                protobuf: { Wire.request([Wire.fixed32(8, 1) + Wire.bytes(6, $0)]) }),
            Place(
                message: "keyValue", fields: fields, json: { logs("\"attributes\":[\(list($0))]") },
                protobuf: { Wire.request([Wire.fixed32(8, 1) + Wire.bytes(6, list($0))]) }),
            Place(
                message: "keyValue", signal: .traces, fields: fields,
                json: { spans("\"events\":[{\"attributes\":[{\($0)}]}]") },
                protobuf: { spans(Wire.bytes(11, Wire.bytes(3, $0))) }),
            Place(
                message: "keyValue", fields: fields,
                json: {
                    #"{"resourceLogs":[{"resource":{"attributes":[{\#($0)}]},"scopeLogs":[{"logRecords":[{}]}]}]}"#
                },
                protobuf: { Wire.bytes(1, Wire.bytes(1, Wire.bytes(1, $0)) + Wire.bytes(2, own)) }),
        ]
    }()

    @Test("The last of duplicate fields wins and is reported") func lastFieldWins() throws {
        for place in Self.places {
            for field in place.fields {
                let told = ["\(place.message).\(field.name) given twice": 1]
                let members = field.json.map { "\"\(field.name)\":\($0)" }
                let json = try read(json: place.json(members.joined(separator: ",")), place.signal)
                let protobuf = try read(protobuf: place.protobuf(Array(field.protobuf.joined())), place.signal)
                #expect(json.told == told && protobuf.told == told, "\(told) \(json.told) \(protobuf.told)")
                // As if the first had been absent; digests cover more than what is stored.
                for (both, last) in [
                    (json.row, try read(json: place.json(members[1]), place.signal)),
                    (protobuf.row, try read(protobuf: place.protobuf(field.protobuf[1]), place.signal)),
                ] {
                    #expect(last.told.isEmpty, "\(last.told)")
                    #expect(both == last.row && both != nil, "\(told)")
                }
            }
        }
    }

    /// In every pair of alternatives, in both orders.
    @Test("Reports a value that has two alternatives") func reportsValueAlternatives() throws {
        let alternatives: [(name: String, json: String, protobuf: [UInt8])] = [
            ("stringValue", "\"a\"", Wire.text(1, "a")), ("boolValue", "true", Wire.number(2, 1)),
            ("intValue", "\"3\"", Wire.number(3, 3)), ("doubleValue", "0.5", Wire.fixed64(4, (0.5).bitPattern)),
            ("arrayValue", #"{"values":[{"intValue":"1"}]}"#, Wire.bytes(5, Wire.bytes(1, Wire.number(3, 1)))),
            (
                "kvlistValue", #"{"values":[{"key":"k"}]}"#, Wire.bytes(6, Wire.bytes(1, Wire.text(1, "k")))
            ),
            ("bytesValue", "\"AP8H\"", Wire.bytes(7, [0, 255, 7])),
        ]
        func places(_ value: [UInt8]) -> [[UInt8]] {
            [
                Wire.fixed32(8, 1) + Wire.bytes(5, value),
                Wire.fixed32(8, 1) + Wire.bytes(6, Wire.text(1, "k") + Wire.bytes(2, value)),
                Wire.fixed32(8, 1) + Wire.bytes(5, Wire.bytes(5, Wire.bytes(1, value))),
            ].map { Wire.request([$0]) }
        }
        for first in alternatives {
            for second in alternatives {
                let told = ["anyValue.\(first.name) given twice": 1]
                for (both, last) in zip(places(first.protobuf + second.protobuf), places(second.protobuf)) {
                    let (row, counts) = try read(protobuf: both, .logs)
                    #expect(counts == told, "\(counts)")
                    #expect(row == (try read(protobuf: last, .logs).row), "\(first.name) \(second.name)")
                }
                let members = [first, second].map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",")
                let json = try read(json: Self.logs("\"body\":{\(members)}"), .logs).told
                // JSON has no order, so either may win.
                #expect(
                    json == told || json == ["anyValue.\(second.name) given twice": 1], "\(members) \(json)")
            }
        }
    }

    // MARK: Names and levels of a record

    private func attributes(_ pairs: [(String, Value)]) -> (json: String, protobuf: [UInt8]) {
        let json = pairs.map { key, value in
            let text = if case .string = value { "stringValue" } else { "intValue" }
            return #"{"key":"\#(key)","value":{"\#(text)":\#(JSONWriter.text(value))}}"#
        }
        return (
            "\"attributes\":[\(json.joined(separator: ","))]",
            pairs.flatMap { AnyValue.keyValueField(6 << 3 | 2, $0.0, $0.1) }
        )
    }

    private func check(
        _ pairs: [(String, Value)], and members: String = "", _ fields: [UInt8] = [], told: [String: Int],
        _ isRight: (RecordRow) -> Bool
    ) throws {
        let (json, protobuf) = attributes(pairs)
        let log = Self.logs((members.isEmpty ? "" : members + ",") + json)
        for (row, counts) in [
            try read(json: log, .logs),
            try read(protobuf: Wire.request([Wire.fixed32(8, 1) + fields + protobuf]), .logs),
        ] {
            #expect(counts == told && row.map(isRight) == true, "\(log) \(counts) \(String(describing: row))")
        }
    }

    @Test("The new spelling of an attribute wins over the old one") func newSpellingWins() throws {
        let pairs: [(new: String, old: String, values: [Value], text: (RecordRow) -> String?)] = [
            ("code.file.path", "code.filepath", ["A/b.swift", "C/d.swift"], { $0.file }),
            ("code.function.name", "code.function", ["f()", "g()"], { $0.function }),
            ("code.line.number", "code.lineno", [3, 4], { $0.line.map(String.init) }),
        ]
        for pair in pairs {
            let told = ["\(pair.old) given twice": 1]
            let text = if case .string(let text) = pair.values[0] { text } else { "3" }
            let (new, old) = ((pair.new, pair.values[0]), (pair.old, pair.values[1]))
            for order in [[new, old], [old, new]] {
                try check(order, told: told) { pair.text($0) == text && $0.attributes == "{}" }
            }
            try check([new, (pair.old, pair.values[0])], told: [:]) { pair.text($0) == text }
            try check([(pair.old, pair.values[0])], told: [:]) { pair.text($0) == text && $0.attributes == "{}" }
            // What fits no column stays an attribute.
            let list: Value = if case .string = pair.values[0] { 7 } else { "x" }
            try check([(pair.new, list), (pair.old, pair.values[0])], told: [:]) {
                pair.text($0) == text && $0.attributes == JSONWriter.text(Attributes([(pair.new, list)]))
            }
        }
    }

    @Test("Reports event names that are overridden") func reportsEventNameClash() throws {
        let names = ["", "a.b", "c.d"]
        for name in names {
            for attribute in names {
                for tag in names {
                    let pairs = [("event.name", attribute), ("daybook.tag", tag)].filter { !$0.1.isEmpty }
                    let event = name.isEmpty ? attribute : name
                    let stored = tag.isEmpty ? event.isEmpty ? "otlp" : event : tag
                    var told: [String: Int] = [:]
                    if !name.isEmpty, name != stored { told["logRecord.eventName given twice"] = 1 }
                    if !attribute.isEmpty, attribute != stored { told["event.name given twice"] = 1 }
                    let scope = { (row: RecordRow) in row.tag == stored || stored == "otlp" && row.tag == "scope" }
                    try check(
                        pairs.map { ($0.0, .string($0.1)) }, and: name.isEmpty ? "" : "\"eventName\":\"\(name)\"",
                        name.isEmpty ? [] : Wire.text(12, name), told: told, scope)
                }
            }
        }
    }

    @Test("Reports a severity that is overridden") func reportsOverriddenLevel() throws {
        try check(
            [("daybook.severity", 5)], and: "\"severityNumber\":17", Wire.number(2, 17),
            told: ["logRecord.severityNumber given twice": 1]
        ) { $0.level == 5 }
        try check([("daybook.severity", 5)], and: "\"severityNumber\":5", Wire.number(2, 5), told: [:]) {
            $0.level == 5
        }
    }

    /// A span has no column for it.
    @Test("A span keeps `event.name` as an attribute") func spanKeepsEventName() throws {
        let pair = #""attributes":[{"key":"event.name","value":{"stringValue":"zzz"}}]"#
        let (row, told) = try read(json: Self.spans("\"name\":\"s\"," + pair), .traces)
        #expect(row?.attributes == #"{"event.name":"zzz"}"# && row?.tag == "s" && told.isEmpty)
    }
}
