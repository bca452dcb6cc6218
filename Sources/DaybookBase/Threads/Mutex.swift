import CThreads

/// A value behind a lock: the standard library's `Mutex`, as far as it is used here, for systems before iOS 18 and
/// macOS 15. An `os_unfair_lock` on Apple's systems, a futex on Linux; not recursive.
///
/// Sendable: the value has a place of its own on the heap for as long as the mutex lives, and is reached by whoever holds
/// the lock beside it alone.
@usableFromInline
package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let word: UnsafeMutablePointer<daybook_lock>
    @usableFromInline package let value: UnsafeMutablePointer<Value>

    @inlinable
    package init(_ initial: consuming sending Value) {
        // Side by side, so that whoever takes the lock has the value's beginning in the processor's cache.
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

    /// Takes the lock, for whoever gives it back meanwhile to wait; the value is the caller's until `unlock`.
    @inlinable
    package borrowing func lock() -> UnsafeMutablePointer<Value> {
        daybook_lock_lock(word)
        return value
    }

    @inlinable
    package borrowing func unlock() { daybook_lock_unlock(word) }

    /// Calls `body` with the value while no other thread has it.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        daybook_lock_lock(word)
        defer { daybook_lock_unlock(word) }
        return try body(&value.pointee)
    }

    /// The same if no other thread has the value now; else `nil`, at once.
    package borrowing func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard daybook_lock_try(word) else { return nil }
        defer { daybook_lock_unlock(word) }
        return try body(&value.pointee)
    }
}
