import DaybookStore
import DaybookTools
import Testing

/// A store has one key, whoever opens it first, and no masked statement reads it.
enum StoreKeyCase {
    /// - Parameter open: Opens the same new store each time.
    static func check(_ open: @escaping @Sendable () async throws -> any EventStore) async throws {
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<4 { group.addTask { try await open().key.name(ofContext: "x") } }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(names.count == 4 && Set(names).count == 1)
        // Nor is it the key that anyone could compute.
        #expect(names.first != StoreKey(identity: "").name(ofContext: "x"))
        let store = try await open()
        #expect(names.first == store.key.name(ofContext: "x"))
        var limits = QueryLimits()
        limits.masking = MaskingPolicy(private: ["mail"]).withPseudonyms()
        for sql in ["SELECT store FROM identity", "SELECT count(*) FROM identity WHERE store > '8'"] {
            await #expect(throws: StoreError.self, "\(sql)") { try await store.query(sql, limits: limits) }
        }
    }
}
