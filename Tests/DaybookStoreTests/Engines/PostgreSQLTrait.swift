import DaybookTesting
import Testing

/// Starts a server for a suite and stops it afterwards.
struct PostgreSQLTrait: SuiteTrait, TestScoping {
    var isRecursive: Bool { false }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws { try await PostgreSQLServer.whileRunning(function) }
}

extension Trait where Self == PostgreSQLTrait {
    /// The suite's tests have a PostgreSQL server: `PostgreSQLServer.current`.
    static var postgreSQL: Self { PostgreSQLTrait() }
}
