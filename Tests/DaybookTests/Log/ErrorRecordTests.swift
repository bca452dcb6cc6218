import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct ErrorRecordTests {
    private let directory = TemporaryDirectory.current

    private func record(of error: any Error) async throws -> Record {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) { Route("**", to: output) }
        pipeline.log("app").error(error)
        await pipeline.shutdown(deadline: .seconds(60))
        return try #require(output.records.first)
    }

    private enum Plain: Error { case burnt(minutes: Int) }

    @Test("An error without a description is recorded by its own value") func plainErrorDescribesItself() async throws {
        let record = try await record(of: Plain.burnt(minutes: 9))
        #expect(record.kind == .error)
        #expect(record.level == .error)
        #expect(record.message == "burnt(minutes: 9)")
        #expect(record.attributes["exception.message"] == "burnt(minutes: 9)")
        let type = try #require(record.attributes["exception.type"]?.text)
        #expect(type.hasSuffix("Plain"))
        #expect(record.attributes["daybook.error.domain"]?.text?.hasSuffix("Plain") == true)
        #expect(record.attributes["daybook.error.code"] != nil)
        #expect(record.file == "DaybookTests/ErrorRecordTests.swift")
        #expect(record.function == "record(of:)")
        #expect((record.line ?? 0) > 0 && (record.column ?? 0) > 0)
    }

    private struct Kitchen: LocalizedError, CustomNSError, LeveledError {
        static var errorDomain: String { "Kitchen" }
        var errorCode: Int { 404 }
        var errorDescription: String? { "no eggs" }
        var logLevel: Level { .warning }
        var cause: any Error
        var errorUserInfo: [String: Any] {
            [
                "shelf": 3, "fresh": true, "weights": [1.5, 2.5], "box": ["b": 1, "a": "x"],
                NSUnderlyingErrorKey: cause,
            ]
        }
    }

    @Test("Records an error's domain, code, info and causes") func errorDetailsRecorded() async throws {
        let deepest = NSError(domain: "Farm", code: 3, userInfo: [NSLocalizedDescriptionKey: "the hens are on strike"])
        let middle = NSError(domain: "Shop", code: 2, userInfo: [NSUnderlyingErrorKey: deepest])
        let record = try await record(of: Kitchen(cause: middle))
        #expect(record.level == .warning)
        #expect(record.message == "no eggs")
        #expect(record.attributes["daybook.error.domain"] == "Kitchen")
        #expect(record.attributes["daybook.error.code"] == 404)
        #expect(record.attributes["shelf"] == 3)
        #expect(record.attributes["fresh"] == true)
        #expect(record.attributes["weights"] == [1.5, 2.5])
        #expect(record.attributes["box"] == ["a": "x", "b": 1])
        #expect(record.attributes[NSUnderlyingErrorKey] == nil)
        guard case .array(let causes)? = record.attributes["daybook.error.causes"] else {
            Issue.record("no causes: \(record.attributes)")
            return
        }
        let domains = causes.map { cause -> Value? in
            if case .object(let object) = cause { object["domain"] } else { nil }
        }
        #expect(domains == ["Shop", "Farm"])
        guard case .object(let last)? = causes.last else { return }
        #expect(last["message"] == "the hens are on strike")
        #expect(last["code"] == 3)
    }

    private final class Circular: Error, CustomNSError {
        var errorUserInfo: [String: Any] { [NSUnderlyingErrorKey: self] }
    }

    @Test("Stops at eight causes when an error is its own cause") func circularCausesEnd() async throws {
        let record = try await record(of: Circular())
        guard case .array(let causes)? = record.attributes["daybook.error.causes"] else {
            Issue.record("no causes")
            return
        }
        #expect(causes.count == 8)
    }

    @Test("An optional becomes its value or null") func optionalBecomesNull() {
        let values: [Any?] = [7, "x", nil, [1, 2], URL(string: "https://example.com")]
        #expect(
            values.map { Value(describing: $0 as Any) } == [7, "x", .null, [1, 2], "https://example.com"])
        #expect(Value(describing: ["deep": Optional<Any>.none as Any]) == ["deep": .null])
    }
}
