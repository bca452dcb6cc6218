import Foundation

/// Runs work that blocks (a child process, a pipe) on a thread of its own, so that it does not take one of the few
/// threads on which all asynchronous tests and servers of the process run.
/// - Throws: What `body` throws.
public func offPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
