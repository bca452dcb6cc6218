import Foundation

/// A test's wait that timed out. The description says for what, for how long, and where.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String

    init(_ what: String, _ limit: Duration, _ file: StaticString, _ line: UInt) {
        description = "waited \(limit) in vain until \(what), at \(file):\(line)"
    }
}

/// Waits for a condition that another task or thread brings about without notice. Tests wait nowhere else; between
/// checks the processor is free.
/// - Parameters:
///   - what: What is waited for, as the end of a sentence: `the store has ten records`.
///   - limit: The longest wait, which only a failing test reaches. Default: two minutes.
///   - condition: Checked again and again.
/// - Throws: ``NeverHappened``, or what the condition throws.
package func eventually(
    _ what: String, within limit: Duration = .seconds(120), file: StaticString = #fileID, line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { throw NeverHappened(what, limit, file, line) }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// The same, on a thread that may block.
package func eventuallyOnThread(
    _ what: String, within limit: Duration = .seconds(120), file: StaticString = #fileID, line: UInt = #line,
    _ condition: () throws -> Bool
) throws {
    let end = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < end else { throw NeverHappened(what, limit, file, line) }
        Thread.sleep(forTimeInterval: 0.001)
    }
}
