import Daybook
import DaybookTesting
import Foundation
import XCTest

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// For app teams that still use XCTest.
final class XCTestCaseTests: XCTestCase {
    private struct Failure {
        var text: String
        var file: String
        var line: Int
    }

    private struct Feed {
        let log: Log
        func show(_ article: Int64) { log.post("feed.show_article", ["article_id": .int(article)]) }
    }

    func testRecorderTakesWhatTheCodeLogs() throws {
        let recorder = try Recorder()
        let feed = Feed(log: recorder.log())
        feed.show(7)
        feed.show(8)
        try recorder.records.expect("feed.show_article exactly 1 per article_id")
        XCTAssertNoThrow(try recorder.records.expect("feed.show_article", [["article_id": 7], ["article_id": "@int"]]))
        XCTAssertThrowsError(try recorder.records.expect("never feed.**"))
    }

    func testEndpointStubAnswersTheSession() async throws {
        let stub = EndpointStub()
        stub.record("/logs/**", status: 202)
        stub.serve("/articles", body: Data("[7, 8]".utf8))
        let session = stub.session
        let articles = try XCTUnwrap(URL(string: "https://production.example/articles"))
        let (data, _) = try await session.data(from: articles)
        XCTAssertEqual(String(decoding: data, as: UTF8.self), "[7, 8]")
        var request = URLRequest(url: try XCTUnwrap(URL(string: "https://production.example/logs/view")))
        request.httpMethod = "POST"
        request.httpBody = Data("{}".utf8)
        let (_, response) = try await session.data(for: request)
        XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 202)
        XCTAssertEqual(stub.recorded.map { String(decoding: $0.body, as: UTF8.self) }, ["{}"])
        XCTAssertEqual(stub.unexpected, [])
    }

    #if !canImport(Darwin)
        private var collects = false
        private var collected: [Failure] = []

        override func recordFailure(
            withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool
        ) {
            if collects {
                collected.append(Failure(text: description, file: filePath, line: lineNumber))
            } else {
                super.recordFailure(
                    withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
            }
        }

        func testFailureIsMarkedAtTheLineThatExpectsAndNamesIt() throws {
            let recorder = try Recorder()
            Feed(log: recorder.log()).show(7)
            collects = true
            let line = #line + 1
            XCTAssertNoThrow(try recorder.records.expect("feed.tap_article"))
            collects = false
            XCTAssertEqual(collected.count, 1)
            let failure = try XCTUnwrap(collected.first)
            XCTAssertEqual(failure.line, line)
            XCTAssertTrue(failure.file.hasSuffix("XCTestCaseTests.swift"), failure.file)
            XCTAssertTrue(failure.text.contains("feed.tap_article; got none"), failure.text)
            XCTAssertTrue(failure.text.contains("expected at \(#filePath):\(line)\n"), failure.text)
        }
    #endif
}
