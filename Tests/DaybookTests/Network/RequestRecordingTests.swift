import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.temporaryDirectory) struct RequestRecordingTests {
    private let directory = TemporaryDirectory.current

    private func record(
        _ request: RecordedRequest, _ recording: RequestRecording = .init(), end: (LogRequest) -> Void
    ) async throws -> Record? {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) { Route("**", to: output) }
        end(pipeline.log("app.network").start(request, recording: recording))
        await pipeline.shutdown(deadline: .seconds(60))
        return output.records.first
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("Records a request with OpenTelemetry attribute names") func usesOpenTelemetryNames() async throws {
        var timing = RequestTiming()
        timing.lookup = .milliseconds(2)
        timing.wait = .milliseconds(30)
        let request = RecordedRequest(
            method: "POST", url: try url("https://me:pw@api.example:8443/recipes/42?token=secret&page=2#top"),
            headers: ["Content-Type": "application/json", "Authorization": "Bearer abcdefgh"], bodyBytes: 10)
        var recording = RequestRecording()
        recording.queryParameters = ["page"]
        let record = try await record(request, recording) {
            $0.end(RecordedResponse(status: 201, headers: ["ETag": "x"], bodyBytes: 20, timing: timing))
        }
        #expect(record?.kind == .request)
        #expect(record?.tag == "app.network")
        #expect(record?.message == "POST /recipes/*")
        #expect(record?.level == .info)
        #expect(record?.failure == nil)
        #expect((record?.duration ?? -1) >= 0)
        #expect(
            record?.attributes == [
                "http.request.method": "POST",
                "url.full": "https://api.example:8443/recipes/42?token=REDACTED&page=2", "url.template": "/recipes/*",
                "server.address": "api.example", "server.port": 8443, "http.request.body.size": 10,
                "http.response.status_code": 201, "http.response.body.size": 20,
                "http.request.header.content-type": ["application/json"], "http.response.header.etag": ["x"],
                "daybook.http.timing.lookup": 2_000_000, "daybook.http.timing.wait": 30_000_000,
            ])
    }

    @Test(
        "The response status sets the record's level and failure",
        arguments: [(200, Level.info), (399, .info), (404, .warning), (500, .error), (503, .error)])
    func statusSetsLevel(status: Int, level: Level) async throws {
        let record = try await record(RecordedRequest(url: try url("https://api.example/x"))) {
            $0.end(RecordedResponse(status: status))
        }
        #expect(record?.level == level)
        #expect(record?.failure == (status < 400 ? nil : "status \(status)"))
        #expect(record?.attributes["error.type"] == (status < 400 ? nil : .string("\(status)")))
    }

    @Test("Redacts credentials even in headers and bodies chosen for recording") func redactsCredentials() async throws
    {
        var recording = RequestRecording()
        let secret = ["authorization", "cookie", "x-api-key", "x-auth-token", "x-session-id", "proxy-authorization"]
        recording.headers = Set(secret + ["set-cookie", "x-plain", "link"])
        recording.queryParameters = ["access_token", "q"]
        recording.bodies = .recorded(maximumBytes: 10_000)
        var headers = Dictionary(uniqueKeysWithValues: secret.map { ($0.uppercased(), "hunter2 hunter2") })
        headers["X-Plain"] = "fine"
        headers["Link"] = "https://u:hunter2@x/"
        let body = #"{"user": "egg", "password": "hunter2", "card": {"cvv": ["hunter2", {"a": "hunter2"}]}, "n": 1}"#
        let record =
            try await record(
                RecordedRequest(
                    method: "POST", url: try url("https://api.example/login?access_token=hunter2&q=egg"),
                    headers: headers,
                    body: Data(body.utf8)), recording
            ) {
                $0.end(
                    RecordedResponse(
                        status: 200, headers: ["Set-Cookie": "hunter2"],
                        body: Data("token=hunter2&plan=free".utf8)))
            } ?? Record(time: 0, kind: .message, level: .info, tag: "")
        #expect(!"\(record)".contains("hunter2"))
        #expect(record.attributes["http.request.header.authorization"] == ["[redacted]"])
        #expect(record.attributes["http.request.header.x-plain"] == ["fine"])
        #expect(record.attributes["url.full"] == "https://api.example/login?access_token=REDACTED&q=egg")
        #expect(
            record.attributes["daybook.http.request.body"]
                == #"{"user": "egg", "password": "[redacted]", "card": {"cvv": "[redacted]"}, "n": 1}"#)
        #expect(record.attributes["daybook.http.response.body"] == "token=[redacted]&plan=free")
    }

    @Test("Bodies kept in memory never reach the record") func bodiesStayInMemory() async throws {
        let recent = RecentBodies(count: 2, bytes: 4096, bodyBytes: 20)
        var recording = RequestRecording()
        recording.bodies = .inMemory(recent)
        let request = RecordedRequest(method: "POST", url: try url("https://api.example/x"), body: Data("asked".utf8))
        let record = try await record(request, recording) {
            $0.end(RecordedResponse(status: 200, body: Data(String(repeating: "答え", count: 10).utf8)))
        }
        let spanID = try #require(record?.span?.spanID)
        #expect(recent.exchange(spanID: spanID)?.request == "asked")
        #expect(recent.exchange(spanID: spanID)?.response == "答え答え答え")
        #expect(record?.attributes["http.request.body.size"] == 5)
        #expect(record?.attributes["http.response.body.size"] == 60)
        #expect(record.map { "\($0)".contains("asked") } == false)
    }

    @Test("The memory for recent bodies is bounded in count and bytes") func bodyMemoryIsBounded() {
        let recent = RecentBodies(count: 3, bytes: 1024, bodyBytes: 512)
        for number in 0..<10 {
            recent.keep(.init(spanID: "\(number)", request: String(repeating: "x", count: 300), response: nil))
        }
        #expect(recent.exchanges.map(\.spanID) == ["7", "8", "9"])
        recent.keep(.init(spanID: "10", request: String(repeating: "x", count: 512), response: nil))
        #expect(recent.exchanges.map(\.spanID) == ["9", "10"])
        recent.removeAll()
        #expect(recent.exchanges.isEmpty)
    }

    @Test(
        "Names a request by its GraphQL operation",
        arguments: [
            (#"{"query": "query Recipe($id: ID!) { recipe(id: $id) { title } }"}"#, "Recipe", "query"),
            (#"{"operationName": "Save", "query": "mutation Save { save }"}"#, "Save", "mutation"),
            (#"{"query": "{ recipes { id } }"}"#, nil, "query"),
            ("{\"query\": \"# a comment\\nsubscription Feed{ feed }\"}", "Feed", "subscription"),
            (#"{"query": "query ($id: ID!) { recipe(id: $id) { title } }"}"#, nil, "query"),
            (
                #"{"operationName": "Saved", "extensions": {"persistedQuery": {"version": 1, "sha256Hash": "x"}}}"#,
                "Saved",
                nil
            ),
        ] as [(String, String?, String?)])
    func namesGraphQLOperation(body: String, name: String?, type: String?) async throws {
        let record = try await record(
            RecordedRequest(
                method: "POST", url: try url("https://api.example/graphql"),
                headers: ["Content-Type": "application/json; charset=utf-8"], body: Data(body.utf8))
        ) { $0.end(RecordedResponse(status: 200)) }
        #expect(record?.message == "POST /graphql" + (name.map { " \($0)" } ?? ""))
        #expect(record?.attributes["graphql.operation.name"] == name.map { .string($0) })
        #expect(record?.attributes["graphql.operation.type"] == type.map { .string($0) })
    }

    @Test(
        "Bodies without a GraphQL document have no operation",
        arguments: [#"{"query": "egg soup"}"#, "[1]", "", "{", #"{"operationName": "x"}"#])
    func ignoresOtherBodies(body: String) {
        #expect(
            GraphQLOperation(
                RecordedRequest(method: "POST", url: nil, body: Data(body.utf8))) == nil)
    }

    @Test("A cancelled request is recorded as failed at the info level") func cancellationIsNoError() async throws {
        for error in [CancellationError() as any Error, URLError(.cancelled)] {
            let record = try await record(RecordedRequest(url: try url("https://api.example/x"))) {
                $0.end(throwing: error)
            }
            #expect(record?.failure == "cancelled")
            #expect(record?.level == .info)
            #expect(record?.attributes["error.type"] == "cancelled")
        }
        let record = try await record(RecordedRequest(url: try url("https://api.example/x"))) {
            $0.end(throwing: URLError(.timedOut))
        }
        #expect(record?.level == .error)
        #expect(record?.attributes["error.type"] == "timeout")
        #expect(record?.attributes["http.response.status_code"] == nil)
    }

    @Test("Only the first end of a request counts") func firstEndCounts() async throws {
        let record = try await record(RecordedRequest(url: try url("https://api.example/x"))) {
            $0.end(RecordedResponse(status: 200))
            $0.end(throwing: CancellationError())
        }
        #expect(record?.failure == nil)
    }

    @Test(
        "Replaces whole secrets in JSON, even if it is truncated",
        arguments: [
            (#"{"password":"#, #"{"password":"[redacted]""#), (#"{"password": "half"#, #"{"password": "[redacted]""#),
            (#"{"token": [1, {"a": "]"}], "b": 2}"#, #"{"token": "[redacted]", "b": 2}"#),
            (#"{"token": null}"#, #"{"token": "[redacted]"}"#), (#""token" : 1"#, #""token" : "[redacted]""#),
            (#"{"a\"token": 1}"#, #"{"a\"token": 1}"#), ("\"", "\""), (#""\"#, #""\"#), ("", ""),
            (#"{"list": ["token", 1]}"#, #"{"list": ["token", 1]}"#),
        ])
    func scrubsTruncatedJSON(text: String, clean: String) {
        #expect(JSONScrubber(scrubber: CredentialScrubber()).scrubbed(text) == clean)
    }
}
