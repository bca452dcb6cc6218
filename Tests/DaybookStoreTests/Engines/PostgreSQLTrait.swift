import DaybookTesting
import Testing

/// Starts a server for a suite and stops it afterwards.
struct PostgreSQLTrait: SuiteTrait, TestScoping {
    var isRecursive: Bool { false }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let server = try await offPool { try PostgreSQLServer() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await PostgreSQLServer.$current.withValue(server, operation: function))
        } catch {
            result = .failure(error)
        }
        try await offPool { server.remove() }
        try result.get()
    }
}

extension PostgreSQLServer {
    /// That of the suite that runs.
    @TaskLocal static var current: PostgreSQLServer?
}

extension Trait where Self == PostgreSQLTrait {
    /// The suite's tests have a PostgreSQL server: ``PostgreSQLServer/current``.
    static var postgreSQL: Self { PostgreSQLTrait() }
}
