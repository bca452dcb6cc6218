import Daybook
import DaybookBase
import DaybookDefinitions
import DaybookTestTraits
import DaybookTesting
import Testing

@testable import DaybookStore

@Suite(.temporaryDirectory) struct StoreOutputTests {
    private let directory = TemporaryDirectory.current

    private struct Context: LogContext {
        var plan: String
        func encode(into encoder: inout FieldEncoder) { encoder.add("plan", plan) }
    }

    @Test("An app's records become rows with every column filled") func writesEveryColumn() async throws {
        let store = MemoryStore()
        var options = PipelineOptions()
        options.resource = ["service.version": "4.12.0"]
        let pipeline = try Pipeline(store: .memory(), context: Context(plan: "free"), options: options) {
            Route("**", to: StoreOutput(store))
        }
        pipeline.log("app").info("Ready", ["cold": true])
        pipeline.log().post("recipe.show", ["recipe_id": 42, "title": "卵\n焼き"])
        pipeline.log("app.menu").start("load menu").end(["recipes": 12])
        try await pipeline.flush(deadline: .seconds(60))
        var query = RecordQuery()
        query.order = .oldestFirst
        let rows = try await store.page(query).map(\.row)
        #expect(rows.map(\.tag) == ["app", "recipe.show", "app.menu"])
        #expect(rows.map(\.kind) == [.message, .event, .span])
        #expect(rows[0].message == "Ready")
        #expect(rows[0].module == "DaybookStoreTests")
        #expect(rows[1].attributes.contains("\"recipe_id\":42"))
        #expect(rows[2].duration != nil)
        #expect(rows[2].spanID?.count == 16)
        for row in rows {
            #expect(row.session == pipeline.sessionID)
            #expect(row.installation?.count == 32)
            #expect(row.context.contains("\"plan\":\"free\""))
            #expect(row.context.contains("\"service.version\":\"4.12.0\""))
            #expect(RecordLine.sequence(ofUID: row.uid) != nil)
        }
        #expect(await pipeline.ledgers()["store"]?.delivered == 3)
    }

    /// An app's own store, directly and through an observed one.
    @Test("An app's own store has the same views as a collector's", arguments: [false, true]) func appStoreHasViews(
        isObserved: Bool
    ) async throws {
        let file = try SQLiteStore(path: directory.file("own.sqlite"))
        let store: any EventStore = isObserved ? ObservedStore(file) { _ in } : file
        let definitions = Definitions.load([
            (path: "recipe.md", bytes: Array("# recipe\n\n## show\n\n- recipe_id: !integer\n".utf8))
        ]).0
        let pipeline = try Pipeline(store: .memory(), context: Context(plan: "free")) {
            Route("**", to: StoreOutput(store, definitions: definitions))
        }
        pipeline.log("app").error("Failed")
        pipeline.log().post("recipe.show", ["recipe_id": 42])
        try await pipeline.flush(deadline: .seconds(10))
        let rows = try await file.query(
            "SELECT level_name, message, substr(_time, 11, 1), source LIKE '%StoreOutputTests.swift:%' FROM messages",
            limits: QueryLimits()
        ).rows
        #expect(rows == [[.text("error"), .text("Failed"), .text("T"), .integer(1)]])
        #expect(
            try await file.query("SELECT recipe_id FROM recipe__show", limits: QueryLimits()).rows == [[.integer(42)]])
        let names = SQLViews.ofStore(definitions, dialect: .sqlite).map(\.name)
        #expect(Set(names).isSuperset(of: ["messages", "errors", "requests", "spans", "sessions", "installations"]))
        for name in names { _ = try await file.query("SELECT * FROM \(name)", limits: QueryLimits()) }
        await file.close()
    }

    /// The row parsed from a record's line.
    private func rowOfLine(_ record: Record, stream: String, resource: Attributes) throws -> RecordRow {
        var whole = record
        whole.context.elements = resource.elements + record.context.elements
        var format = TextFormat.json
        format.showsPrivate = true
        var row = try RecordLine.row(format.text(of: whole).utf8, defaults: .init(time: 0, position: 0))
        (row.uid, row.isDigest) = ("\(stream)-\(record.sequence)", false)
        row.sequence = record.sequence
        if case .string(let id)? = resource["app.installation.id"] { row.installation = id }
        return row
    }

    @Test("A record's row equals the row parsed from its line") func rowEqualsParsedLine() throws {
        let resource: Attributes = ["service.version": "4.12.0", "app.installation.id": "i-1", "twice": 1]
        var plain = Record(time: 1_763_000_000_123_456_789, kind: .event, level: .info, tag: "recipe.show")
        plain.sequence = 7
        var full = Record(
            time: -1, kind: .span, level: .fatal, tag: "app.menu", message: "卵\n\u{9B}焼き",
            attributes: [
                "whole": -3, "double": 1, "real": 1.0, "zero": -0.0, "huge": 1e300, "none": nil, "yes": true,
                "infinite": .double(.infinity), "nothing": .double(.nan), "bytes": .bytes([0, 1, 255]),
                "list": [1, "two", ["three": 3]], "object": ["a": 1, "b": ["c": nil], "a": 2], "double": "again",
                "key \u{202E}\"\\": "\u{1}\t", "password": "secret",
            ])
        full.context = ["session.id": "s-1", "twice": 2, "plan": "free"]
        full.privateNames = ["password", "plan"]
        full.sequence = .max
        full.file = "RecipeBox/Menu.swift"
        full.function = "load(_:)"
        full.line = 12
        full.column = 5
        full.span = SpanContext(traceHigh: 1, traceLow: 2, span: 3)
        full.parentSpanID = 4
        full.duration = 1_500
        full.failure = "no network"
        var failed = full
        failed.failure = ""
        failed.context = [:]
        for record in [plain, full, failed] {
            let row = RecordRow(record, stream: "stream", resource: resource)
            #expect(row == (try rowOfLine(record, stream: "stream", resource: resource)))
        }
        #expect(RecordRow(full, stream: "stream", resource: resource).attributes.contains("secret"))
        #expect(
            RecordRow(plain, stream: "stream", resource: [:]) == (try rowOfLine(plain, stream: "stream", resource: [:]))
        )
    }

    /// Databases end a text at a NUL or reject it; two compositions of a name are one name.
    @Test("Every text of a record is stored whole") func storesAnyTextWhole() async throws {
        let texts = ["\0", "a\0b", "\0卵\0\0", "か\u{3099}\0x", "e\u{301}", "\u{FFFD}"]
        let store = try SQLiteStore(path: directory.file("store.sqlite"))
        let rows = try texts.enumerated().map { number, text in
            var record = Record(
                time: 1_763_000_000_000_000_000, kind: .event, level: .info, tag: "a.\(text)", message: text,
                attributes: [text: .string(text), "list": [.string(text), [text: .string(text)]]])
            record.context = ["session.id": .string(text), "plan": .string(text)]
            (record.file, record.function) = ("M/\(text)", text)
            record.sequence = UInt64(number + 1)
            let resource: Attributes = ["service.version": .string(text), "app.installation.id": .string(text)]
            let row = RecordRow(record, stream: "stream", resource: resource)
            var line = try rowOfLine(record, stream: "stream", resource: resource)
            line.installation = line.installation?.storableName
            #expect(row == line)
            return row
        }
        _ = try await store.append(RecordBatch(origin: nil, rows: rows))
        let stored = try await store.page(RecordQuery()).map(\.row)
        for (row, text) in zip(stored.reversed(), texts) {
            let kept = text.replacing("\0", with: "\u{FFFD}")
            #expect(row.message == kept && row.tag == "a.\(kept)" && row.session == kept && row.function == kept)
            #expect(row.message?.unicodeScalars.elementsEqual(kept.unicodeScalars) == true)
            let filter = FilterExpression.term(.column("plan", .text(kept)))
            #expect(try await store.page { $0.filter.narrow(by: filter) }.map(\.row.uid).contains(row.uid))
        }
        #expect(stored.count == texts.count)
        await store.close()
    }

    /// Sends each batch twice, like an app that died before noting the first response.
    private final class RepeatingOutput: BatchOutput {
        let id = "store"
        let output: StoreOutput
        init(_ store: any EventStore) { output = StoreOutput(store) }
        func send(_ batch: Batch) async -> Delivery {
            _ = await output.send(batch)
            return await output.send(batch)
        }
    }

    @Test("Stores a repeated batch once") func storesRepeatedBatchOnce() async throws {
        let store = MemoryStore()
        let pipeline = try Pipeline(store: .memory()) { Route("**", to: RepeatingOutput(store)) }
        for number in 0..<100 { pipeline.log().post("a.b", ["n": .int(Int64(number))]) }
        try await pipeline.flush(deadline: .seconds(60))
        #expect(try await store.head() == 100)
    }
}
