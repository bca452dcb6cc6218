import Daybook
import DaybookStore
import DaybookTesting
import Testing

@Suite struct StoreOutputTests {
    private struct Context: LogContext {
        var plan: String
        func encode(into encoder: inout FieldEncoder) { encoder.add("plan", plan) }
    }

    @Test func recordsOfAnAppAreRowsWithAllTheirColumns() async throws {
        let store = MemoryStore()
        var options = PipelineOptions()
        options.resource = ["service.version": "4.12.0"]
        let pipeline = try Pipeline(store: .memory(), context: Context(plan: "free"), options: options) {
            Route("**", to: StoreOutput(store))
        }
        pipeline.log("app").info("Ready", ["cold": true])
        pipeline.log().post("recipe.show", ["recipe_id": 42, "title": "卵\n焼き"])
        pipeline.log("app.menu").start("load menu").end(["recipes": 12])
        try await pipeline.flush(deadline: .seconds(10))
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

    /// Sends each batch twice, as an app does that died before it took note of the first answer.
    private final class RepeatingOutput: BatchOutput {
        let id = "store"
        let output: StoreOutput
        init(_ store: any EventStore) { output = StoreOutput(store) }
        func send(_ batch: Batch) async -> Delivery {
            _ = await output.send(batch)
            return await output.send(batch)
        }
    }

    @Test func batchThatComesAgainIsStoredOnce() async throws {
        let store = MemoryStore()
        let pipeline = try Pipeline(store: .memory()) { Route("**", to: RepeatingOutput(store)) }
        for number in 0..<100 { pipeline.log().post("a.b", ["n": .int(Int64(number))]) }
        try await pipeline.flush(deadline: .seconds(10))
        #expect(try await store.head() == 100)
    }
}
