import DaybookStore
import Testing

@testable import DaybookInspector

@Suite struct LossesTests {
    private func batch(_ stream: String, of sender: String, lost: [String: Int64]) -> RecordBatch {
        var row = RecordRow.event("a.b")
        row.uid = stream
        row.sequence = 1
        row.installation = "phone-1"
        row.context = #"{"service.version":"4.11.3"}"#
        return RecordBatch(
            origin: .init(stream: stream, after: 0, through: 1), losses: LossReport(sender: sender, counts: lost),
            rows: [row])
    }

    @Test func streamsOfOneSenderCountOnce() async throws {
        let store = MemoryStore()
        let lost: [String: Int64] = ["disk limit": 312, "rejected": 2, "expired": 0]
        for signal in ["logs", "traces"] {
            try await store.append(batch("s1/otlp/\(signal)", of: "s1/otlp", lost: lost))
        }
        try await store.append(batch("s2/otlp/logs", of: "s2/otlp", lost: ["rejected": 5]))
        let answer = try await LossesAPI(store: store).losses([])
        #expect(
            answer.text == #"""
                {"ok":true,"data":{"losses":[\#
                {"installation":"phone-1","version":"4.11.3","reason":"disk limit","count":312},\#
                {"installation":"phone-1","version":"4.11.3","reason":"rejected","count":7}],"next":null}}
                """#)
    }

    @Test func sumsOfWhateverSendersSayDoNotOverflow() async throws {
        let store = MemoryStore()
        for stream in ["s1/otlp", "s2/otlp"] {
            try await store.append(batch("\(stream)/logs", of: stream, lost: ["rejected": .max]))
        }
        let answer = try await LossesAPI(store: store).losses([])
        #expect(answer.text.contains(#""count":"9223372036854775807"}"#))
    }

    @Test func nothingLostIsAnEmptyList() async throws {
        let answer = await Bench(rows: [.event("a.b")]).send("GET", "/api/v1/losses")
        #expect(answer.text == #"{"ok":true,"data":{"losses":[],"next":null}}"#)
    }
}
