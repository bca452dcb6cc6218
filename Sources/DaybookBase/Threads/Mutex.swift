import CThreads

/// The subset of the standard library's `Mutex` used here, for systems before iOS 18 and macOS 15. An `os_unfair_lock`
/// on Apple's systems, a futex on Linux; not recursive.
///
/// Sendable: the value lives on the heap as long as the mutex, and only the holder of the lock beside it accesses it.
@usableFromInline
package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let word: UnsafeMutablePointer<daybook_lock>
    @usableFromInline package let value: UnsafeMutablePointer<Value>

    @inlinable
    package init(_ initial: consuming sending Value) {
        // Adjacent, so that taking the lock loads the start of the value into the cache.
        let alignment = max(MemoryLayout<Value>.alignment, 8)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: alignment + MemoryLayout<Value>.size, alignment: alignment)
        word = memory.bindMemory(to: daybook_lock.self, capacity: 1)
        daybook_lock_init(word)
        value = (memory + alignment).bindMemory(to: Value.self, capacity: 1)
        value.initialize(to: initial)
    }

    @inlinable
    deinit {
        value.deinitialize(count: 1)
        UnsafeMutableRawPointer(word).deallocate()
    }

    /// For callers that release the lock temporarily. The value is theirs until `unlock`.
    @inlinable
    package borrowing func lock() -> UnsafeMutablePointer<Value> {
        daybook_lock_lock(word)
        return value
    }

    @inlinable
    package borrowing func unlock() { daybook_lock_unlock(word) }

    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        daybook_lock_lock(word)
        defer { daybook_lock_unlock(word) }
        return try body(&value.pointee)
    }

    /// `nil` at once if the lock is taken.
    package borrowing func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard daybook_lock_try(word) else { return nil }
        defer { daybook_lock_unlock(word) }
        return try body(&value.pointee)
    }
}
