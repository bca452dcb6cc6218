import Daybook
import DaybookApple
import DaybookTesting
import Foundation
import Testing

@Suite struct SystemDiagnosticTests {
    /// Written after Apple's pages on `MXDiagnosticPayload` and `MXCallStackTree`, not taken from a device.
    private static let payload = #"""
        {
          "timeStampBegin": "2026-11-20 08:00:00", "timeStampEnd": "2026-11-20 08:00:00",
          "crashDiagnostics": [{
            "version": "1.0.0",
            "callStackTree": {"callStackPerThread": true, "callStacks": [
              {"threadAttributed": false, "callStackRootFrames": [{"binaryName": "libsystem_kernel.dylib", "offsetIntoBinaryTextSegment": 1}]},
              {"callStackRootFrames": [{
                "subFrames": [{"binaryName": "UIKitCore", "binaryUUID": "33333333-3333-3333-3333-333333333333", "offsetIntoBinaryTextSegment": 255, "sampleCount": 1}],
                "binaryName": "RecipeBox", "binaryUUID": "22222222-2222-2222-2222-222222222222", "offsetIntoBinaryTextSegment": 4660, "address": 4301234567, "sampleCount": 1
              }], "threadAttributed": true}
            ]},
            "diagnosticMetaData": {
              "appVersion": "4.12.0", "appBuildVersion": "981", "osVersion": "iPhone OS 26.1 (23B74)", "deviceType": "iPhone17,3",
              "exceptionType": 1, "exceptionCode": 0, "signal": 11, "pid": 77, "regionFormat": "JP",
              "terminationReason": "Namespace SIGNAL, Code 11 Segmentation fault: 11", "isTestFlightApp": false
            }
          }],
          "hangDiagnostics": [{
            "diagnosticMetaData": {"appBuildVersion": "981", "hangDuration": "3.2 sec"},
            "callStackTree": {"callStackPerThread": false, "callStacks": [{"callStackRootFrames": [
              {"binaryName": "RecipeBox", "offsetIntoBinaryTextSegment": 7, "sampleCount": 12, "subFrames": [
                {"binaryName": "A", "offsetIntoBinaryTextSegment": 8, "sampleCount": 9},
                {"binaryName": "B", "offsetIntoBinaryTextSegment": 9, "sampleCount": 3}]}]}]}
          }],
          "cpuExceptionDiagnostics": [{"diagnosticMetaData": {"totalCPUTime": "95 sec", "totalSampledTime": "100 sec"}}],
          "diskWriteExceptionDiagnostics": [{"diagnosticMetaData": {"writesCaused": "2,000,000 byte"}}],
          "appLaunchDiagnostics": [{"diagnosticMetaData": {"launchDuration": "22 sec"}}],
          "newDiagnostics": [{"diagnosticMetaData": {"appVersion": "9"}}]
        }
        """#

    private static let begin: Int64 = 1_795_200_000_000_000_000

    private func record(
        _ diagnostic: SystemDiagnostic, launch: LaunchHistory.Place? = nil
    ) -> Record { diagnostic.record(begin: Self.begin, end: Self.begin + 1_000_000_000, launch: launch) }

    @Test("Every known kind of diagnostic is read and others are skipped") func readsKnownKinds() {
        let all = SystemDiagnostic.all(in: Array(Self.payload.utf8))
        #expect(all.map(\.kind) == [.crash, .hang, .cpu, .diskWrite, .launch])
        #expect(
            all.map(\.tag) == [
                "diagnostic.crash", "diagnostic.hang", "diagnostic.cpu", "diagnostic.disk_write", "diagnostic.launch",
            ])
        #expect(all[0].processID == 77)
        #expect(all[0].build == "981")
    }

    @Test("A crash is a fatal error with OpenTelemetry attribute names") func crashIsError() throws {
        let crash = try #require(SystemDiagnostic.all(in: Array(Self.payload.utf8)).first)
        let record = record(crash, launch: LaunchHistory.Place(session: "00ff", began: Self.begin - 1_000_000_000))
        #expect((record.kind, record.level) == (.error, .fatal))
        #expect(record.time == Self.begin + 1_000_000_000)
        #expect(record.attributes["exception.type"] == "EXC_BAD_ACCESS")
        #expect(
            record.message == "EXC_BAD_ACCESS (SIGSEGV) Namespace SIGNAL, Code 11 Segmentation fault: 11")
        #expect(record.attributes["exception.message"] == record.message.map { .string($0) })
        #expect(
            record.attributes["exception.stacktrace"] == """
                0 RecipeBox + 4660 (22222222-2222-2222-2222-222222222222)
                1 UIKitCore + 255 (33333333-3333-3333-3333-333333333333)

                """)
        #expect(record.attributes["service.version"] == "4.12.0")
        #expect(record.attributes["app.build_id"] == "981")
        #expect(record.attributes["process.pid"] == 77)
        #expect(record.attributes["daybook.diagnostic.signal"] == 11)
        #expect(record.attributes["daybook.diagnostic.is_test_flight"] == false)
        #expect(record.attributes["daybook.launch.session"] == "00ff")
        // The user's region is not recorded.
        #expect(!record.attributes.elements.contains { $0.value == "JP" })
        #expect(record.error?.type == "EXC_BAD_ACCESS")
    }

    @Test("A sampled call tree keeps its shape") func sampledTreeKeepsShape() {
        let hang = SystemDiagnostic.all(in: Array(Self.payload.utf8))[1]
        let record = record(hang)
        #expect((record.kind, record.level) == (.message, .warning))
        #expect(record.message == "The app hung for 3.2 sec")
        #expect(record.attributes["code.stacktrace"] == "0 RecipeBox + 7 ×12\n1 A + 8 ×9\n1 B + 9 ×3\n")
        #expect(record.attributes["exception.type"] == nil)
        #expect(record.attributes["daybook.launch.session"] == nil)
    }

    @Test("An Objective-C exception supplies its own name and message") func exceptionNamesItself() throws {
        let text = #"""
            {"crashDiagnostics": [{"diagnosticMetaData": {"exceptionType": 10, "signal": 6, "exceptionReason": {
              "composedMessage": "-[NSNull length]: unrecognized selector", "exceptionName": "NSInvalidArgumentException", "arguments": ["a"]}}}]}
            """#
        let record = record(try #require(SystemDiagnostic.all(in: Array(text.utf8)).first))
        #expect(record.attributes["exception.type"] == "NSInvalidArgumentException")
        #expect(record.message == "-[NSNull length]: unrecognized selector")
    }

    @Test("Fields that are missing or of another type are left out") func skipsBadFields() throws {
        let text = #"""
            {"crashDiagnostics": [{"callStackTree": 5, "diagnosticMetaData": {"signal": "oops", "exceptionType": 99, "pid": "x"}}],
             "hangDiagnostics": {"diagnosticMetaData": {"appVersion": "1"}}, "cpuExceptionDiagnostics": [1, "two"]}
            """#
        let all = SystemDiagnostic.all(in: Array(text.utf8))
        #expect(all.map(\.kind) == [.crash])
        #expect(all.first?.processID == nil)
        #expect(try record(#require(all.first)).message == "exception 99 (oops)")
        #expect(SystemDiagnostic.all(in: []).isEmpty)
        #expect(SystemDiagnostic.all(in: Array("[[[".utf8)).isEmpty)
    }

    @Test("A damaged payload keeps the diagnostics before the damage") func damagedPayloadKeepsStart() {
        let cut = Array(Self.payload.utf8.dropLast(600))
        #expect(SystemDiagnostic.all(in: cut).first?.kind == .crash)
    }

    @Test("A stack of thousands of frames is read and its text cut") func deepStackIsCut() throws {
        // A recursive reader would overflow the stack.
        let frames = 2_000
        let text =
            #"{"crashDiagnostics":[{"callStackTree":{"callStacks":[{"callStackRootFrames":["#
            + String(repeating: #"{"binaryName":"RecipeBox","subFrames":["#, count: frames)
            + String(repeating: "]}", count: frames) + "]}]}}]}"
        let crash = try #require(SystemDiagnostic.all(in: Array(text.utf8)).first)
        #expect(crash.stacks.first?.frames.count == frames)
        #expect(crash.stacks.first?.frames.last?.depth == frames - 1)
        guard case .string(let trace)? = record(crash).attributes["exception.stacktrace"] else {
            Issue.record("no trace")
            return
        }
        #expect(trace.utf8.count <= 16 << 10 + 4)
        #expect(trace.hasSuffix("…\n"))
    }

    @Test("Each diagnostic is forwarded as one record with its own tag") func forwardsDiagnostics() async throws {
        let records = RecordsText()
        let pipeline = try Pipeline(store: .memory()) { Route("**", to: records, timing: .inline) }
        for diagnostic in SystemDiagnostic.all(in: Array(Self.payload.utf8)) {
            pipeline.log("diagnostic").forward(record(diagnostic))
        }
        #expect(records.text.split(separator: "\n").count == 5)
        #expect(records.text.contains("\"tag\":\"diagnostic.disk_write\""))
        await pipeline.shutdown(deadline: .seconds(60))
    }
}

@Suite struct LaunchHistoryTests {
    private static let second: Int64 = 1_000_000_000

    private func diagnostic(_ kind: SystemDiagnostic.Kind, _ metadata: String = "") throws -> SystemDiagnostic {
        let text = #"{"\#(kind.rawValue)":[{"diagnosticMetaData":{\#(metadata)}}]}"#
        return try #require(SystemDiagnostic.all(in: Array(text.utf8)).first)
    }

    /// Three launches, at 100, 200 and 300 s; the second has two sessions and another build.
    private var history: LaunchHistory {
        var history = LaunchHistory()
        for (index, build) in ["1", "2", "2"].enumerated() {
            history.begin(
                LaunchHistory.Launch(
                    processID: Int64(10 + index), build: build,
                    session: .init(session: "s\(index)", began: Int64(index + 1) * 100 * Self.second)))
            if index == 1 { _ = history.note(.init(session: "s1b", began: 250 * Self.second)) }
        }
        return history
    }

    private func place(_ diagnostic: SystemDiagnostic, _ begin: Int64, _ end: Int64) -> String? {
        history.place(of: diagnostic, begin: begin * Self.second, end: end * Self.second)?.session
    }

    @Test("The process ID and build decide the launch of a diagnostic") func processIDDecides() throws {
        #expect(place(try diagnostic(.crash, #""pid":10"#), 0, 400) == "s0")
        #expect(place(try diagnostic(.hang, #""pid":11"#), 220, 220) == "s1")
        #expect(place(try diagnostic(.hang, #""pid":99"#), 220, 220) == nil)
        // An update that reuses the process ID is another process.
        #expect(place(try diagnostic(.crash, #""pid":10,"appBuildVersion":"2""#), 0, 400) == nil)
    }

    @Test("A crash belongs to a launch that has ended") func crashEndsLaunch() throws {
        // Timed within the second launch, or at its delivery during the third.
        #expect(place(try diagnostic(.crash), 260, 260) == "s1b")
        #expect(place(try diagnostic(.crash), 301, 301) == "s1b")
        // A day that several launches share decides nothing.
        #expect(place(try diagnostic(.crash), 0, 400) == nil)
        #expect(place(try diagnostic(.crash, #""appBuildVersion":"1""#), 0, 400) == "s0")
    }

    @Test("A hang belongs to the only launch running at the time") func hangMatchesLaunch() throws {
        #expect(place(try diagnostic(.hang), 310, 311) == "s2")
        #expect(place(try diagnostic(.hang), 210, 220) == "s1")
        #expect(place(try diagnostic(.hang), 210, 260) == "s1b")
        #expect(place(try diagnostic(.hang), 0, 400) == nil)
        #expect(place(try diagnostic(.hang), 0, 50) == nil)
    }

    @Test("The launch history survives encoding and is bounded") func historyRoundTrips() throws {
        #expect(LaunchHistory(history.bytes) == history)
        #expect(LaunchHistory([]).launches.isEmpty)
        #expect(LaunchHistory(Array(#"[1,{"pid":1},{"pid":2,"sessions":[["a"]]}]"#.utf8)).launches.isEmpty)
        var long = history
        for number in 0..<100 {
            long.begin(.init(processID: Int64(number), build: nil, session: .init(session: "x", began: 0)))
        }
        #expect(long.launches.count == 32)
        #expect(long.launches.last?.processID == 99)
        #expect(long.note(.init(session: "x", began: 1)) == false)
        #expect(long.note(.init(session: "y", began: 1)) == true)
    }
}
