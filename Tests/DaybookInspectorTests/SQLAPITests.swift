import DaybookAPI
import DaybookStore
import Testing

@testable import DaybookInspector

@Suite struct SQLAPITests {
    @Test("Writes every kind of cell in its documented form") func writesEveryCellKind() async {
        let bench = Bench()
        bench.store.answer(
            with: QueryResult(
                columns: ["a", "say \"b\""],
                rows: [
                    [.null, .integer(7)], [.integer(.max), .integer(.min)], [.real(0.5), .real(.infinity)],
                    [.text("卵\u{7}"), .blob([0, 255])],
                ], isTruncated: true))
        let response = await bench.send("POST", "/api/v1/sql", body: #"{"sql":"SELECT 1"}"#)
        #expect(
            response.text == #"""
                {"ok":true,"data":{"columns":["a","say \"b\""],"rows":[[null,7],["9223372036854775807",\#
                "-9223372036854775808"],[0.5,"Infinity"],["卵\u0007",{"hex":"00ff"}]],"truncated":true,"masked":false,\#
                "milliseconds":0,"warnings":[]}}
                """#)
    }

    @Test("Rejects a body without a statement", arguments: ["", "SELECT 1", "{}", #"{"sql":1}"#])
    func bodyNeedsStatement(_ body: String) async throws {
        let response = await Bench().send("POST", "/api/v1/sql", body: body)
        #expect(response.status == 400)
        #expect(try response.code() == "bad_request")
    }

    @Test("Rejects an empty statement without asking the store", arguments: ["", "  ", "\\n\\t"])
    func refusesEmptyStatement(_ sql: String) async throws {
        let bench = Bench()
        bench.store.fail(with: StoreError(.storage, "asked"))
        let response = await bench.send("POST", "/api/v1/sql", body: "{\"sql\":\"\(sql)\"}")
        #expect(try response.code() == "bad_statement")
    }

    @Test("The store's error message reaches the reader") func showsStoreMessage() async throws {
        let response = await Bench().send("POST", "/api/v1/sql", body: #"{"sql":"SELEC"}"#)
        #expect(try response.code() == "bad_statement")
        #expect(response.text.contains("syntax error"))
    }
}
