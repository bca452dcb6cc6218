import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook
@testable import DaybookBlackBox

/// Calls as in apps that use BlackBox. Serialized, because the pipeline is process-wide.
@Suite(.serialized, .temporaryDirectory) struct BlackBoxTests {
    private let directory = TemporaryDirectory.current

    private struct Refused: Error, CustomNSError, BBLogLevelProvider {
        var level: BBLogLevel { .warning }
        var errorCode: Int { 4000 }
        var errorUserInfo: [String: Any] { ["request": "GET /menu"] }
    }

    private struct Plain: Error {}

    private func records(_ level: Level = .trace, _ body: () async -> Void) async throws -> [Record] {
        let records = Mutex<[Record]>([])
        let output = ClosureOutput(id: "collected") { record in records.withLock { $0.append(record) } }
        let pipeline = try Pipeline(directory: directory.url) {
            Route("**", to: output, level: level, timing: .inline)
        }
        Log.install(pipeline)
        await body()
        await pipeline.shutdown(deadline: .seconds(60))
        return records.withLock { $0 }
    }

    @Test("A message has its level, info, category and source") func messageKeepsOrigin() async throws {
        let url = URL(string: "https://example.com")
        let records = try await records {
            BlackBox.log("App Launched")
            BlackBox.log("User Did Finish Auth", level: .info)
            BlackBox.log(
                "Start Request", userInfo: ["url": url as Any, "retry": 2, "ids": [1, 2]], serviceInfo: "own",
                level: .warning, category: "View Lifecycle")
            BlackBox.debug("d")
            BlackBox.info("i", userInfo: ["n": 1.5])
        }
        #expect(records.map(\.message) == ["App Launched", "User Did Finish Auth", "Start Request", "d", "i"])
        #expect(records.map(\.level) == [.debug, .info, .warning, .debug, .info])
        #expect(records.map(\.tag) == ["app", "app", "view.lifecycle", "app", "app"])
        #expect(
            records[2].attributes
                == ["ids": [1, 2], "retry": 2, "url": "https://example.com", "service_info": "own"])
        #expect(records[0].module == "DaybookBlackBoxTests")
        #expect(records[0].file == "DaybookBlackBoxTests/BlackBoxTests.swift")
        #expect(records[0].function == "messageKeepsOrigin()")
        #expect(records[0].line ?? 0 > 0)
    }

    @Test("The recorded column is that of the call") func recordsCallColumn() async throws {
        let records = try await records {
            _ = (BlackBox.log("a"), BlackBox.info("b"), BlackBox.log(1, 2), BlackBox.log(CancellationError()))
            BlackBox.logEnd(BlackBox.logStart("c"))
        }
        let columns = records.map { $0.column ?? 0 }
        #expect(columns.count == 5 && zip(columns, columns.dropFirst().prefix(3)).allSatisfy { $0 < $1 }, "\(columns)")
        #expect((20...50).contains(columns.last ?? 0), "\(columns)")
    }

    @Test("Logs whatever `print` accepts, as printed") func logsWhatPrintTakes() async throws {
        let name: StaticString = "static"
        let user: String? = "Anna"
        let records = try await records {
            BlackBox.log(42)
            BlackBox.log("loaded", 3, [1, 2], separator: ", ", terminator: "")
            BlackBox.log("loaded \(1 + 1) rows")
            BlackBox.log(name)
            BlackBox.log(user as Any, level: .info)
            BlackBox.log()
        }
        #expect(
            records.map(\.message) == [
                "42", "loaded, 3, [1, 2]", "loaded 2 rows", "static", "Optional(\"Anna\")", "",
            ])
        #expect(records[4].level == .info)
    }

    @Test("An error has its level, code and info") func errorKeepsCodeAndInfo() async throws {
        let records = try await records {
            BlackBox.log(Refused(), category: "Network")
            do { throw Plain() } catch { BlackBox.log(error) }
        }
        #expect(records.map(\.kind) == [.error, .error])
        #expect(records.map(\.level) == [.warning, .error])
        #expect(records.map(\.tag) == ["network", "app"])
        #expect(records[0].error?.code == 4000)
        #expect(records[0].error?.info["request"] == "GET /menu")
        #expect(records[1].function == "errorKeepsCodeAndInfo()")
    }

    @Test("A measurement is one record with the info of its start and end") func measurementMergesInfo() async throws {
        let records = try await records {
            let loading = BlackBox.logStart(
                "Load", userInfo: ["from": "menu", "rows": 0], level: .info, category: "Menu")
            let parsing = BlackBox.debugStart("Parse", parentEvent: loading)
            BlackBox.log("halfway", parentEvent: loading)
            BlackBox.logEnd(parsing)
            BlackBox.logEnd(loading, message: "Loaded", userInfo: ["rows": 42], category: "Other")
            BlackBox.logEnd(loading, userInfo: ["rows": 43])
        }
        #expect(records.map(\.message) == ["halfway", "Parse", "Load"])
        let load = try #require(records.last)
        #expect(load.kind == .span)
        #expect(load.duration != nil)
        #expect(load.level == .info)
        #expect(load.tag == "menu")
        #expect(
            load.attributes == ["from": "menu", "rows": 42, "end_message": "Loaded", "end_category": "Other"])
        #expect(load.function == "measurementMergesInfo()")
        #expect(records[0].span == load.span)
        #expect(records[1].parentSpanID == load.span?.span)
    }

    @Test("A measurement created early is recorded only if it was started") func unstartedIsNotRecorded() async throws {
        let records = try await records {
            let never = BlackBox.StartEvent("never")
            BlackBox.logEnd(never)
            let event = BlackBox.StartEvent("later", level: .info)
            BlackBox.logStart(event)
            BlackBox.logStart(event)
            await Task.detached { BlackBox.logEnd(event) }.value
        }
        #expect(records.map(\.message) == ["later"])
    }

    @Test("Nothing is evaluated below the level") func skipsLowLevels() async throws {
        let made = Atomic<Int>(0)
        func text() -> String {
            made.add(1, ordering: .relaxed)
            return "text"
        }
        let records = try await records(.warning) {
            BlackBox.log(text(), userInfo: ["text": text()])
            BlackBox.info(text())
            BlackBox.log(text(), level: .error)
        }
        #expect(records.map(\.message) == ["text"])
        #expect(made.load(ordering: .relaxed) == 1)
    }

    @Test(
        "A category becomes a valid tag",
        arguments: [
            ("View Lifecycle", "view.lifecycle"), ("Network", "network"), ("a.b_c-d", "a.b_c-d"), (" — ", "app"),
            ("Меню: Загрузка", "меню.загрузка"), (nil, "app"),
        ] as [(String?, String)])
    func categoryBecomesTag(_ category: String?, _ tag: String) {
        #expect(Tag.of(category) == tag)
    }
}
