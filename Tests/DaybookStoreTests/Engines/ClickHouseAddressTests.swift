import DaybookStore
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

@Suite struct ClickHouseAddressTests {
    @Test("Parses every part of a ClickHouse address") func parsesEveryAddressPart() throws {
        let address = try ClickHouseAddress(
            "clickhouse://day%40book:p%3Aw@a.example:8124,[::1]:8125,b/logs?cluster=two&window=0.25&insert_quorum=2")
        #expect(address.nodes.map(\.description) == ["a.example:8124", "[::1]:8125", "b:8123"])
        #expect(address.user == "day@book")
        #expect(address.password == "p:w")
        #expect(address.database == "logs")
        #expect(address.cluster == "two")
        #expect(address.window == .milliseconds(250))
        #expect(address.settings == ["insert_quorum": "2"])
        #expect(address.description == "a.example:8124,[::1]:8125,b:8123/logs")
    }

    /// Rows belong to a shard, claims to every node.
    @Test("Replicates rows within a shard and claims to every node") func replicatesRowsAndClaims() throws {
        var address = try ClickHouseAddress("clickhouse://a,b/logs?cluster=two")
        #expect(ClickHouseTables(address).all("claims") == "all_claims")
        #expect(
            ClickHouseTables(address).engine("ReplacingMergeTree", of: "claims", version: "done")
                == "ReplacingMergeTree(done)")
        address.hasReplicas = true
        let tables = ClickHouseTables(address)
        #expect(tables.all("claims") == "claims" && tables.distributed("claims") == nil)
        #expect(tables.all("stored_records") == "all_stored_records")
        #expect(
            tables.engine("MergeTree", of: "stored_records")
                == "ReplicatedMergeTree('/clickhouse/tables/two/logs/stored_records/{shard}', '{replica}')")
        #expect(
            tables.engine("ReplacingMergeTree", of: "claims", version: "done")
                == "ReplicatedReplacingMergeTree('/clickhouse/tables/two/logs/claims/all', '{shard}-{replica}', done)")
    }

    @Test("Omitted parts of an address take their defaults") func fillsAddressDefaults() throws {
        let address = try ClickHouseAddress("clickhouse://host?tls=true")
        #expect(address.nodes.map(\.description) == ["host:8443"])
        #expect(address.user == "default" && address.password.isEmpty && address.database == "default")
        #expect(address.cluster == nil && address.isSecure && address.window == .seconds(1))
    }

    @Test(
        "Rejects a malformed address without revealing its password",
        arguments: [
            "clickhouse:host", "postgres://host", "clickhouse://", "clickhouse:///logs", "clickhouse://host:0",
            "clickhouse://host:port", "clickhouse://host?cluster", "clickhouse://host?window=2",
            "clickhouse://a%zz:pw@host",
        ])
    func addressErrorHidesPassword(text: String) {
        let error = #expect(throws: StoreError.self) { try ClickHouseAddress(text) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("clickhouse://USER:PASSWORD@HOST:PORT/DATABASE") == true)
        #expect(error?.message.contains("pw") == false)
    }
}
