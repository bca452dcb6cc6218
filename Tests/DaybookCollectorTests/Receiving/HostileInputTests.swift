import Daybook
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import Testing

/// Any bytes give a request or an error, without trapping or using much memory.
@Suite struct HostileInputTests {
    private let samples = [
        RequestSamples.logs.protobuf(), RequestSamples.traces.protobuf(), RequestSamples.logs.json(),
        RequestSamples.traces.json(),
    ]

    /// Runs every decoder over the bytes; the results do not matter here.
    private func decode(_ bytes: [UInt8]) {
        _ = try? ExportLogsRequest(protobuf: bytes)
        _ = try? ExportTraceRequest(protobuf: bytes)
        _ = try? ExportLogsRequest(json: bytes)
        _ = try? ExportTraceRequest(json: bytes)
        _ = try? ExportResponse(protobuf: bytes)
        _ = try? RPCStatus(protobuf: bytes)
        _ = try? Inflate.bytes(bytes, limit: 100_000)
    }

    @Test("Truncated requests do not crash the decoder, and are errors in JSON") func survivesTruncation() {
        for sample in samples {
            // Every offset of the Protobuf, every third of longer JSON.
            for count in stride(from: 0, to: sample.count, by: sample.count > 1_500 ? 3 : 1) {
                let cut = Array(sample[..<count])
                decode(cut)
                guard sample.first == UInt8(ascii: "{") else { continue }
                #expect((try? ExportLogsRequest(json: cut)) == nil && (try? ExportTraceRequest(json: cut)) == nil)
            }
        }
    }

    @Test("Truncated Protobuf is an error unless cut between fields") func truncatedProtobufFails() throws {
        let sample = samples[0]
        let whole = try ExportLogsRequest(protobuf: sample)
        for count in 1..<sample.count {
            if let cut = try? ExportLogsRequest(protobuf: Array(sample[..<count])) {
                #expect(cut.resources.count < whole.resources.count)
            }
        }
    }

    @Test("Deep nesting is an error and not a crash") func deepNestingFails() {
        let deepJSON = Array(repeating: UInt8(ascii: "["), count: 100_000)
        #expect(throws: OTLPError.self) { try ExportLogsRequest(json: deepJSON) }
        let deepObjects = Array(String(repeating: #"{"a":"#, count: 100_000).utf8)
        #expect(throws: OTLPError.self) { try ExportLogsRequest(json: deepObjects) }

        // AnyValue in ArrayValue in AnyValue …, from the inside out.
        var value: [UInt8] = []
        for _ in 0..<200 { value = delimited(0x2A, delimited(0x0A, value)) }
        let request = delimited(0x0A, delimited(0x12, delimited(0x12, delimited(0x2A, value))))
        let error = #expect(throws: OTLPError.self) { try ExportLogsRequest(protobuf: request) }
        #expect(error?.description.contains("64 levels") == true)
        // Groups, which are obsolete.
        #expect(throws: OTLPError.self) { try ExportLogsRequest(protobuf: Array(repeating: 0x0B, count: 100_000)) }
    }

    @Test("Bounds requests of empty records or values") func boundsEmptyRecords() {
        let records = Array(String(repeating: "\u{12}\0", count: 150_000).utf8)
        let request = delimited(0x0A, delimited(0x12, records))
        let error = #expect(throws: OTLPError.self) { try ExportLogsRequest(protobuf: request) }
        #expect(error?.isLimit == true)
        let values = Array(String(repeating: "\u{32}\0", count: 2_100_000).utf8)
        let second = delimited(0x0A, delimited(0x12, delimited(0x12, values)))
        #expect(#expect(throws: OTLPError.self) { try ExportLogsRequest(protobuf: second) }?.isLimit == true)
    }

    @Test("Bounds the number of JSON values") func boundsJSONValues() {
        let text = "[" + String(repeating: "0,", count: 2_100_000) + "0]"
        #expect(#expect(throws: OTLPError.self) { try ExportLogsRequest(json: Array(text.utf8)) }?.isLimit == true)
    }

    private func delimited(_ key: UInt8, _ bytes: [UInt8]) -> [UInt8] { [key] + length(bytes) + bytes }

    private func length(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes.count
        var varint: [UInt8] = []
        while rest >= 0x80 {
            varint.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return varint + [UInt8(rest)]
    }
}
