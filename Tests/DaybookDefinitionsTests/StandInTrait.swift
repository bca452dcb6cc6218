import DaybookTesting
import Foundation
import Testing

/// Builds the stand-in for the client library once per suite.
struct StandInTrait: SuiteTrait, TestScoping {
    /// The folder of the module and the library, for the running suite.
    @TaskLocal static var library: URL?

    var isRecursive: Bool { false }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let source = fixtures.appending(path: "Daybook/Daybook.swift").path
        let built = try ProcessResult.run(
            [
                "swiftc", "-swift-version", "6", "-parse-as-library", "-module-name", "Daybook", "-emit-module",
                "-emit-library", "-static", source, "-o", "libDaybook.a",
            ], in: folder.url)
        try #require(built.status == 0, "\(built.output)")
        try await Self.$library.withValue(folder.url, operation: function)
    }
}

extension Trait where Self == StandInTrait {
    /// Provides the stand-in to the suite's tests: ``StandInTrait/library``.
    static var standIn: Self { StandInTrait() }
}
