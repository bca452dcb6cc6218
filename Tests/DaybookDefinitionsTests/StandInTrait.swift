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
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-stand-in-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = fixtures.appending(path: "Daybook/Daybook.swift").path
        let built = try ProcessResult.run(
            [
                "swiftc", "-swift-version", "6", "-parse-as-library", "-module-name", "Daybook", "-emit-module",
                "-emit-library", "-static", source, "-o", "libDaybook.a",
            ], in: folder)
        try #require(built.status == 0, "\(built.output)")
        try await Self.$library.withValue(folder, operation: function)
    }
}

extension Trait where Self == StandInTrait {
    /// Provides the stand-in to the suite's tests: ``StandInTrait/library``.
    static var standIn: Self { StandInTrait() }
}
