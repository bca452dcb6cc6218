import Daybook
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import DaybookTrials
import Testing

@Suite struct CodecTests {
    @Test("Logs round-trip through Protobuf") func logsRoundTripProtobuf() throws {
        #expect(try ExportLogsRequest(protobuf: RequestSamples.logs.protobuf()) == RequestSamples.logs)
    }

    @Test("Traces round-trip through Protobuf") func tracesRoundTripProtobuf() throws {
        #expect(try ExportTraceRequest(protobuf: RequestSamples.traces.protobuf()) == RequestSamples.traces)
    }

    @Test("Logs round-trip through JSON") func logsRoundTripJSON() throws {
        #expect(try ExportLogsRequest(json: RequestSamples.logs.json()) == RequestSamples.logs)
    }

    @Test("Traces round-trip through JSON") func tracesRoundTripJSON() throws {
        #expect(try ExportTraceRequest(json: RequestSamples.traces.json()) == RequestSamples.traces)
    }

    /// Bytes written by hand from opentelemetry-proto, so that a field number wrong in both directions shows.
    @Test("Uses the Protobuf field numbers of the specification") func usesSpecifiedFieldNumbers() throws {
        var record: [UInt8] = [0x09, 1, 0, 0, 0, 0, 0, 0, 0]  // 1: time_unix_nano
        record += [0x10, 13, 0x1A, 1, 0x57]  // 2: severity_number, 3: severity_text "W"
        record += [0x2A, 3, 0x0A, 1, 0x62]  // 5: body "b"
        record += [0x32, 7, 0x0A, 1, 0x6B, 0x12, 2, 0x18, 5]  // 6: attributes k = 5
        record += [0x38, 2, 0x45, 1, 0, 0, 0]  // 7: dropped_attributes_count, 8: flags
        record += [0x4A, 16] + (1...16) + [0x52, 8] + (1...8)  // 9: trace_id, 10: span_id
        record += [0x59, 2, 0, 0, 0, 0, 0, 0, 0, 0x62, 1, 0x65]  // 11: observed_time_unix_nano, 12: event_name "e"
        let scope: [UInt8] = [0x0A, 3, 0x0A, 1, 0x73, 0x12, UInt8(record.count)] + record + [0x1A, 1, 0x75]
        let resource: [UInt8] = [0x0A, 0, 0x12, UInt8(scope.count)] + scope
        let request = try ExportLogsRequest(protobuf: [0x0A, UInt8(resource.count)] + resource)
        let decoded = request.resources[0].scopes[0].records[0]
        #expect(request.resources[0].scopes[0].scope.name == "s")
        #expect(decoded.time == 1)
        #expect(decoded.observedTime == 2)
        #expect(decoded.severityNumber == 13)
        #expect(decoded.severityText == "W")
        #expect(decoded.body == "b")
        #expect(decoded.attributes == ["k": 5])
        #expect(decoded.droppedAttributes == 2)
        #expect(decoded.traceID == "0102030405060708090a0b0c0d0e0f10")
        #expect(decoded.spanID == "0102030405060708")
        #expect(decoded.eventName == "e")
    }

    @Test("Reads JSON as written in the specification") func readsSpecifiedJSON() throws {
        let text = """
            {"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"my.service"}}]},
             "schemaUrl":"x","unknown":{"a":[1]},"scopeLogs":[{"scope":{"name":"lib","version":"1"},"logRecords":[
              {"timeUnixNano":"1544712660300000000","observedTimeUnixNano":1544712660300000001,"severityNumber":10,
               "severityText":"Information","traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174",
               "body":{"stringValue":"Example"},"attributes":[
                {"key":"s","value":{"stringValue":"v"}},{"key":"b","value":{"boolValue":true}},
                {"key":"i","value":{"intValue":"9007199254740993"}},{"key":"j","value":{"intValue":7}},
                {"key":"d","value":{"doubleValue":637.704}},{"key":"nan","value":{"doubleValue":"Infinity"}},
                {"key":"y","value":{"bytesValue":"AP8H"}},{"key":"n"},
                {"key":"a","value":{"arrayValue":{"values":[{"stringValue":"x"},{}]}}},
                {"key":"m","value":{"kvlistValue":{"values":[{"key":"k","value":{"intValue":"1"}}]}}}]}]}]}]}
            """
        let request = try ExportLogsRequest(json: Array(text.utf8))
        #expect(
            request.resources[0].resource == ["service.name": "my.service", "otel.resource.schema_url": "x"])
        let record = request.resources[0].scopes[0].records[0]
        #expect(record.time == 1_544_712_660_300_000_000)
        #expect(record.observedTime == 1_544_712_660_300_000_001)
        #expect(record.severityNumber == 10)
        #expect(record.traceID == "5b8efff798038103d269b633813fc60c")
        #expect(record.spanID == "eee19b7ec3c1b174")
        #expect(record.body == "Example")
        #expect(
            record.attributes == [
                "s": "v", "b": true, "i": 9_007_199_254_740_993, "j": 7, "d": 637.704, "nan": .double(.infinity),
                "y": .bytes([0, 255, 7]), "n": nil, "a": ["x", nil], "m": ["k": 1],
            ])
    }

    @Test("Decodes empty requests of either signal") func decodesEmptyRequests() throws {
        #expect(try ExportLogsRequest(protobuf: []).resources.isEmpty)
        #expect(try ExportTraceRequest(json: Array("{}".utf8)).resources.isEmpty)
    }

    @Test("JSON errors name the faulty member") func locatesOTLPFaults() throws {
        let text = #"{"resourceLogs":[{"scopeLogs":[{},{"logRecords":[{"timeUnixNano":"soon"}]}]}]}"#
        let error = #expect(throws: OTLPError.self) { try ExportLogsRequest(json: Array(text.utf8)) }
        #expect(error?.path == "resourceLogs[0].scopeLogs[1].logRecords[0].timeUnixNano")
        let nested = #"{"resourceLogs":[{"resource":{"attributes":[{"key":1}]}}]}"#
        let second = #expect(throws: OTLPError.self) { try ExportLogsRequest(json: Array(nested.utf8)) }
        #expect(second?.path == "resourceLogs[0].resource.attributes[0].key")
        let broken = #expect(throws: OTLPError.self) { try ExportLogsRequest(json: Array(#"{"resourceLogs":[}"#.utf8)) }
        #expect(broken?.description.contains("byte 17") == true)
    }

    @Test("Reads enums as numbers or Protobuf names") func readsEnumNames() throws {
        func severity(_ json: String) throws -> Int32 {
            let text = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":\#(json)}]}]}]}"#
            return try ExportLogsRequest(json: Array(text.utf8)).resources[0].scopes[0].records[0].severityNumber
        }
        for (json, number) in [
            ("17", 17), ("\"17\"", 17), ("17.0", 17), ("null", 0), ("\"SEVERITY_NUMBER_UNSPECIFIED\"", 0),
            ("\"SEVERITY_NUMBER_TRACE\"", 1), ("\"SEVERITY_NUMBER_WARN4\"", 16), ("\"SEVERITY_NUMBER_ERROR\"", 17),
            ("\"SEVERITY_NUMBER_ERROR2\"", 18), ("\"SEVERITY_NUMBER_FATAL4\"", 24), ("\"ERROR\"", 17), ("\"crit\"", 21),
            ("30", 30), ("-1", -1),
        ] as [(String, Int32)] { #expect(try severity(json) == number, "\(json)") }
        for json in ["\"nonsense\"", "\"\"", "\"SEVERITY_NUMBER_ERROR5\"", "true", "1.5", "[]"] {
            let error = #expect(throws: OTLPError.self, "\(json)") { try severity(json) }
            #expect(error?.path == "resourceLogs[0].scopeLogs[0].logRecords[0].severityNumber")
        }
        let text =
            #"{"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":"SPAN_KIND_CLIENT","status":{"code":"STATUS_CODE_ERROR"}}]}]}]}"#
        let span = try ExportTraceRequest(json: Array(text.utf8)).resources[0].scopes[0].spans[0]
        #expect(span.kind == 3 && span.status == .error)
    }

    @Test("Protobuf errors give the byte offset") func locatesProtobufFaults() throws {
        let error = #expect(throws: OTLPError.self) { try ExportLogsRequest(protobuf: [0x0A, 2, 0x12, 9]) }
        #expect(error?.description.contains("byte 3") == true)
    }

    @Test("Ignores invalid trace identifiers") func ignoresInvalidIDs() throws {
        for trace in ["", "00000000000000000000000000000000", "5b8e", "zz8efff798038103d269b633813fc60c"] {
            let text = #"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"\#(trace)"}]}]}]}"#
            #expect(try ExportTraceRequest(json: Array(text.utf8)).resources[0].scopes[0].spans[0].traceID == nil)
        }
    }

    @Test("Responses and statuses round-trip") func responsesRoundTrip() throws {
        #expect(ExportResponse().protobuf().isEmpty)
        #expect(ExportResponse().json(.logs) == Array("{}".utf8))
        let partial = ExportResponse(rejected: 5, message: "too old")
        #expect(try ExportResponse(protobuf: partial.protobuf()) == partial)
        #expect(try ExportResponse(json: partial.json(.logs), .logs) == partial)
        #expect(try ExportResponse(json: partial.json(.traces), .traces) == partial)
        #expect(String(decoding: partial.json(.traces), as: UTF8.self).contains("rejectedSpans"))
        let status = RPCStatus(.invalidArgument, "what and why")
        #expect(try RPCStatus(protobuf: status.protobuf()) == status)
        #expect(String(decoding: status.json(), as: UTF8.self) == #"{"code":3,"message":"what and why"}"#)
    }
}
