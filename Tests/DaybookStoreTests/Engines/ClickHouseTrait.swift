import DaybookTesting
import Testing

/// Starts a cluster for a suite and stops it afterwards.
struct ClickHouseTrait: SuiteTrait, TestScoping {
    var isRecursive: Bool { false }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let cluster = try await offPool { try ClickHouseCluster() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await ClickHouseCluster.$current.withValue(cluster, operation: function))
        } catch {
            result = .failure(error)
        }
        try await offPool { cluster.remove() }
        try result.get()
    }
}

extension ClickHouseCluster {
    /// That of the suite that runs.
    @TaskLocal static var current: ClickHouseCluster?
}

extension Trait where Self == ClickHouseTrait {
    /// The suite's tests have a ClickHouse cluster: ``ClickHouseCluster/current``.
    static var clickHouse: Self { ClickHouseTrait() }
}
