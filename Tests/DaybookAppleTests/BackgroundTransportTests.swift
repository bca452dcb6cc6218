import Daybook
import DaybookApple
import Foundation
import Testing

@Suite struct BackgroundTransportTests {
    private let success = TransportResponse(status: 200, headers: [:], body: [1, 2])

    private func name(_ body: [UInt8], address: String = "https://logs.example.com/v1/logs") throws -> String {
        UploadKey(
            TransportRequest(
                url: try #require(URL(string: address)), headers: ["authorization": "Bearer \(UUID())"], body: body,
                timeout: .seconds(1))
        ).name
    }

    private func answer(_ action: BackgroundUploads.Action) -> TransportResponse? {
        if case .answer(let answer) = action { answer } else { nil }
    }

    private func isUpload(_ action: BackgroundUploads.Action) -> Bool {
        if case .upload = action { true } else { false }
    }

    private func isWait(_ action: BackgroundUploads.Action) -> Bool { if case .wait = action { true } else { false } }

    @Test("A request is identified by its URL and body") func identifiedByURLAndBody() throws {
        #expect(try name([1, 2]) == name([1, 2]))
        #expect(try name([1, 2]) != name([2, 1]))
        #expect(try name([1, 2]) != name([1, 2], address: "https://logs.example.com/v1/traces"))
        // It is also a file name.
        #expect(try name([1, 2]).allSatisfy { $0.isHexDigit || "-.upload".contains($0) })
    }

    @Test("An upload is started only once") func uploadsOnce() {
        var uploads = BackgroundUploads()
        uploads.found([])
        #expect(isUpload(uploads.ask("a")))
        #expect(isWait(uploads.ask("a")))
        #expect(isUpload(uploads.ask("b")))
        uploads.finish("a", nil)
        #expect(isUpload(uploads.ask("a")))
    }

    @Test("An upload of an earlier launch is taken over") func adoptsEarlierUpload() {
        var uploads = BackgroundUploads()
        #expect(uploads.isFirst)
        uploads.found(["a"])
        #expect(!uploads.isFirst)
        #expect(isWait(uploads.ask("a")))
        // A later list of uploads in progress is ignored.
        uploads.found(["b"])
        #expect(isUpload(uploads.ask("b")))
    }

    @Test("An answer that arrives early is returned once") func earlyAnswerGivenOnce() {
        var uploads = BackgroundUploads()
        uploads.receive([1, 2], "a")
        #expect(uploads.body(of: "a") == [1, 2])
        uploads.finish("a", success)
        // The system made this list just before the upload ended.
        uploads.found(["a"])
        #expect(answer(uploads.ask("a"))?.body == [1, 2])
        #expect(isUpload(uploads.ask("a")))
    }

    @Test("Only successful answers are kept") func keepsOnlySuccesses() {
        var uploads = BackgroundUploads()
        uploads.found(["a"])
        uploads.finish("a", TransportResponse(status: 401, headers: [:], body: []))
        #expect(isUpload(uploads.ask("a")))
    }

    @Test("Kept answers and their bodies are bounded") func keptAnswersAreBounded() {
        var uploads = BackgroundUploads()
        uploads.found([])
        for number in 0..<9 { uploads.finish("\(number)", success) }
        #expect(isUpload(uploads.ask("0")))
        #expect(answer(uploads.ask("1")) != nil)
        uploads.receive(Array(repeating: 0, count: 100_000), "x")
        uploads.receive([1], "x")
        #expect(uploads.body(of: "x").count == 64 << 10)
    }

    @Test("Files without an upload are found") func findsOrphanedFiles() {
        var uploads = BackgroundUploads()
        #expect(isUpload(uploads.ask("mine")))
        #expect(uploads.orphans(of: ["a", "b", "mine"], known: ["b"]) == ["a"])
    }

    @Test("An answer from another origin counts as a redirect") func foreignAnswerIsRedirect() throws {
        let asked = URL(string: "https://logs.example.com/v1/logs")
        #expect(success.told(by: URL(string: "https://logs.example.com/v2/logs"), asked: asked).status == 200)
        #expect(success.told(by: nil, asked: asked).status == 200)
        for place in ["http://logs.example.com/v1/logs", "https://login.example.org/", "https://logs.example.com:444/"]
        {
            let told = success.told(by: URL(string: place), asked: asked)
            #expect(told.status == 308)
            #expect(told.headers["location"] == place)
            #expect(told.body.isEmpty)
        }
    }
}
