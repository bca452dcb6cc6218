import DaybookTesting
import Testing

/// Starts a server for a suite and stops it afterwards; does nothing where PostgreSQL is not installed.
struct PostgreSQLTrait: SuiteTrait, TestScoping {
    var isRecursive: Bool { false }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard PostgreSQLServer.tools != nil else { return try await function() }
        try await PostgreSQLServer.whileRunning(function)
    }
}

extension Trait where Self == PostgreSQLTrait {
    /// The suite's tests have a PostgreSQL server: `PostgreSQLServer.current`.
    static var postgreSQL: Self { PostgreSQLTrait() }
}
