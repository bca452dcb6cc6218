import Daybook
import DaybookSwiftLog
import DaybookTesting
import Logging
import Testing

struct DaybookLogHandlerTests {
    private struct Failure: Error {}

    /// A pipeline that collects, and a logger that writes to it.
    private struct Fixture {
        let directory: TemporaryDirectory
        let output = CollectingOutput()
        let pipeline: Pipeline<EmptyContext>

        init(level: Level = .trace) throws {
            directory = try TemporaryDirectory()
            pipeline = try Pipeline(directory: directory.url) { [output] in
                Redact.credentials
                Route("**", to: output, level: level)
            }
        }

        func logger(_ label: String = "kitchen.oven", provider: Logger.MetadataProvider? = nil) -> Logger {
            Logger(label: label) { [pipeline] in DaybookLogHandler(log: pipeline.log($0), metadataProvider: provider) }
        }

        func records() async -> [Record] {
            await pipeline.shutdown(deadline: .seconds(5))
            directory.remove()
            return output.records
        }
    }

    @Test("A log call becomes a record under the logger's label") func callBecomesRecord() async throws {
        let fixture = try Fixture()
        fixture.logger().warning("too hot", metadata: ["degrees": "\(260)", "rack": ["upper", "lower"]])
        let record = try #require(await fixture.records().first)
        #expect(record.tag == "kitchen.oven")
        #expect(record.level == .warning)
        #expect(record.kind == .message)
        #expect(record.message == "too hot")
        #expect(record.attributes["degrees"] == "260")
        #expect(record.attributes["rack"] == ["upper", "lower"])
        #expect(record.module == "DaybookSwiftLogTests")
        #expect(record.function == "callBecomesRecord()")
        #expect(record.line != nil)
    }

    @Test("Every level of swift-log has a level here") func mapsEveryLevel() async throws {
        let fixture = try Fixture()
        let logger = fixture.logger()
        for level in Logger.Level.allCases { logger.log(level: level, "\(level)") }
        let records = await fixture.records()
        #expect(records.map(\.level) == [.trace, .debug, .info, .info, .warning, .error, .fatal])
        #expect(records.map { $0.attributes["swift_log.level"] } == [nil, nil, nil, "notice", nil, nil, nil])
    }

    @Test("Metadata of the call overrides the provider's, which overrides the handler's") func metadataPrecedence()
        async throws
    {
        let fixture = try Fixture()
        var logger = fixture.logger(provider: .init { ["a": "provider", "b": "provider"] })
        logger[metadataKey: "a"] = "handler"
        logger[metadataKey: "b"] = "handler"
        logger[metadataKey: "c"] = "handler"
        logger.info("x", metadata: ["a": "call"])
        let record = try #require(await fixture.records().first)
        #expect(record.attributes == ["a": "call", "b": "provider", "c": "handler"])
    }

    @Test("Copies of a logger have their own level, metadata and provider") func loggerCopiesAreApart() throws {
        let fixture = try Fixture()
        var first = fixture.logger()
        first.logLevel = .debug
        first[metadataKey: "only-on"] = "first"
        var second = first
        second.logLevel = .error
        second[metadataKey: "only-on"] = "second"
        #expect(first.logLevel == .debug)
        #expect(second.logLevel == .error)
        #expect(first[metadataKey: "only-on"] == "first")
        #expect(second[metadataKey: "only-on"] == "second")
        fixture.directory.remove()
    }

    @Test("The logger's level and the route's level both apply") func bothLevelsApply() async throws {
        let fixture = try Fixture(level: .info)
        var logger = fixture.logger()
        logger.debug("below the route")
        logger.info("taken")
        logger.logLevel = .error
        logger.warning("below the logger")
        logger.error("taken too")
        #expect(await fixture.records().map(\.message) == ["taken", "taken too"])
    }

    @Test("Metadata values keep their types") func metadataKeepsTypes() async throws {
        let fixture = try Fixture()
        fixture.logger().info(
            "x",
            metadata: [
                "count": .stringConvertible(3), "share": .stringConvertible(0.5), "cold": .stringConvertible(true),
                "pan": ["size": "\(28)", "lid": .stringConvertible(false)],
            ])
        let record = try #require(await fixture.records().first)
        #expect(record.attributes["count"] == 3)
        #expect(record.attributes["share"] == 0.5)
        #expect(record.attributes["cold"] == true)
        #expect(record.attributes["pan"] == ["lid": false, "size": "28"])
    }

    @Test("A logged error is described") func describesLoggedError() async throws {
        let fixture = try Fixture()
        fixture.logger().error("could not bake", error: Failure())
        let record = try #require(await fixture.records().first)
        #expect(record.kind == .error)
        #expect(record.message == "could not bake")
        guard case .string(let type) = record.attributes["exception.type"] else {
            Issue.record("no type")
            return
        }
        #expect(type.hasSuffix("Failure"))
    }

    @Test("Credentials in metadata are redacted") func redactsMetadata() async throws {
        let fixture = try Fixture()
        fixture.logger().info("login", metadata: ["password": "hunter2"])
        let record = try #require(await fixture.records().first)
        #expect(record.attributes["password"] != nil)
        #expect(record.attributes["password"] != "hunter2")
    }

    @Test("A log call within a measurement belongs to it") func callJoinsMeasurement() async throws {
        let fixture = try Fixture()
        let logger = fixture.logger()
        fixture.pipeline.log("kitchen").measure("bake") { logger.info("in the oven") }
        let records = await fixture.records()
        let message = try #require(records.first { $0.kind == .message })
        let span = try #require(records.first { $0.kind == .span })
        #expect(message.span?.traceParent == span.span?.traceParent)
        #expect(message.span != nil)
    }

    @Test("The logging system is bootstrapped in one line") func bootstrapsLogging() {
        // Possible only once in a process; it makes what the initialiser makes.
        LoggingSystem.bootstrap(DaybookLogHandler.init)
        #expect(Logger(label: "any.library").handler is DaybookLogHandler)
    }
}
