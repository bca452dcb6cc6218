import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct RecordingSessionTests {
    private let directory = TemporaryDirectory.current
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nsoup."

    private struct Sent {
        var records: [Record]
        var server: ScriptedServer
    }

    private func sent(
        _ answers: [String?] = [answer], _ recording: RequestRecording = RequestRecording(),
        _ body: (RecordingSession, Log, URL) async throws -> Void
    ) async throws -> Sent {
        let server = try ScriptedServer(answers)
        defer { server.stop() }
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) { Route("**", to: output) }
        let log = pipeline.log("app.network")
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/recipes/42?q=egg"))
        try await body(log.recording(session, recording), log, url)
        await pipeline.shutdown(deadline: .seconds(60))
        return Sent(records: output.records, server: server)
    }

    @Test("Records a data task and sends its span to the server") func recordsDataTask() async throws {
        let sent = try await sent { session, _, url in
            let (data, response) = try await session.data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "soup.")
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
        let record = try #require(sent.records.first)
        #expect(sent.records.count == 1)
        #expect(record.message == "GET /recipes/*")
        #expect(record.attributes["http.response.status_code"] == 200)
        #expect(record.attributes["http.response.body.size"] == 5)
        #expect(record.file == "DaybookTests/RecordingSessionTests.swift")
        let heard = try #require(sent.server.requests.first)
        #expect(heard.lowercased().contains("\r\ntraceparent: \(record.span?.traceParent ?? "none")\r\n"))
    }

    @Test("Records an upload with the size of its body") func recordsUploadSize() async throws {
        let file = directory.url.appending(path: "body")
        try Data("from a file.".utf8).write(to: file)
        let sent = try await sent([Self.answer, Self.answer]) { session, _, url in
            var request = URLRequest(url: url)
            request.httpMethod = "PUT"
            _ = try await session.upload(for: request, from: Data("a body.".utf8))
            _ = try await session.upload(for: request, fromFile: file)
        }
        #expect(sent.records.map(\.message) == ["PUT /recipes/*", "PUT /recipes/*"])
        #expect(sent.records.map { $0.attributes["http.request.body.size"] } == [7, 12])
        #expect(sent.server.requests.first?.hasSuffix("a body.") == true)
    }

    @Test("Records a download with the size of its file") func recordsDownloadSize() async throws {
        let sent = try await sent { session, _, url in
            let (file, _) = try await session.download(for: URLRequest(url: url))
            #expect(try String(contentsOf: file, encoding: .utf8) == "soup.")
            try FileManager.default.removeItem(at: file)
        }
        #expect(sent.records.map { $0.attributes["http.response.body.size"] } == [5])
    }

    @Test("Records and rethrows the session's error") func recordsThrownError() async throws {
        let sent = try await sent(["HTTP/1.1 200 OK\r\nContent-Length: 50\r\nConnection: close\r\n\r\nsoup."]) {
            session, _, url in
            await #expect(throws: (any Error).self) { _ = try await session.data(from: url) }
        }
        #expect(sent.records.count == 1)
        #expect(sent.records.first?.level == .error)
        #expect(sent.records.first?.failure?.isEmpty == false)
    }

    @Test("A request belongs to the measurement around it") func requestJoinsMeasurement() async throws {
        let sent = try await sent { session, log, url in
            _ = try await log.measure("load") { try await session.data(from: url) }
        }
        let request = try #require(sent.records.first { $0.kind == .request })
        let load = try #require(sent.records.first { $0.kind == .span })
        #expect(request.span?.traceID == load.span?.traceID)
        #expect(request.parentSpanID.map { Hex.text($0) } == load.span?.spanID)
    }

    @Test("Sends requests that the configuration excludes without recording them") func sendsUnrecorded() async throws {
        var recording = RequestRecording()
        recording.isRecorded = { $0.url?.path != "/recipes/42" }
        let sent = try await sent([Self.answer], recording) { session, _, url in
            _ = try await session.data(from: url)
        }
        #expect(sent.records.isEmpty)
        #expect(sent.server.requests.count == 1)
        #expect(sent.server.requests.first?.lowercased().contains("traceparent") == false)
    }

    @Test("Requests that an output sends are never recorded") func outputTrafficUnrecorded() async throws {
        /// A team's own output that sends with the app's session.
        struct Sending: BatchOutput {
            let id = "sending"
            let url: URL
            func send(_ batch: Batch) async -> Delivery {
                do {
                    _ = try await Log("app.network").recording(.shared).data(from: url)
                    _ = try await RecordingSession(.shared, log: log).data(from: url)
                } catch {
                    Issue.record(error)
                }
                return .delivered
            }
            let log: Log
        }
        let server = try ScriptedServer([Self.answer, Self.answer])
        defer { server.stop() }
        let collecting = CollectingOutput()
        let app = try Pipeline(directory: directory.subdirectory("app").url, options: quietOptions()) {
            Route("**", to: collecting)
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/logs"))
        let pipeline = try Pipeline(directory: directory.subdirectory("sending").url, options: quietOptions()) {
            Route("**", to: Sending(url: url, log: app.log("app.network")))
        }
        pipeline.log().info("to be sent")
        await pipeline.shutdown(deadline: .seconds(60))
        await app.shutdown(deadline: .seconds(60))
        #expect(server.requests.count == 2)
        #expect(collecting.records.isEmpty)
    }
}
