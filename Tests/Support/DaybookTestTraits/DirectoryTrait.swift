import DaybookTesting
import Testing

/// Gives each test, and each case of a parameterised one, a directory of its own: ``TemporaryDirectory/current``. It is
/// removed when the test has ended.
package struct DirectoryTrait: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal fileprivate static var directory: TemporaryDirectory?

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try await Self.$directory.withValue(directory, operation: function)
    }
}

extension Trait where Self == DirectoryTrait {
    /// A directory for each test.
    package static var temporaryDirectory: Self { DirectoryTrait() }
}

extension TemporaryDirectory {
    /// The running test's. Read it where the test begins, such as in a property of the suite: threads of its own do not
    /// know it.
    package static var current: TemporaryDirectory {
        if let directory = DirectoryTrait.directory { return directory }
        Issue.record("The test has no directory: its suite lacks the trait .temporaryDirectory.")
        return TemporaryDirectory(path: "/dev/null/none")
    }
}
