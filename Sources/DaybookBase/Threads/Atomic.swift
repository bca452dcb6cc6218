import CThreads

/// A value that fits into one machine word.
@usableFromInline
package protocol AtomicWord {
    init(atomicWord: UInt64)
    var atomicWord: UInt64 { get }
}

/// The subset of the standard library's `Atomic` used here, for systems before iOS 18 and macOS 15.
///
/// Sendable: the word lives on the heap as long as this value, and only C's atomic operations access it.
@usableFromInline
package struct Atomic<Value: AtomicWord>: ~Copyable, @unchecked Sendable {
    @usableFromInline let word: UnsafeMutablePointer<UInt64>

    @inlinable
    package init(_ value: Value) {
        word = daybook_word_make()
        daybook_store_relaxed(word, value.atomicWord)
    }

    @inlinable
    deinit { daybook_word_free(word) }

    /// An `acquiring` load sees what was written before the `releasing` store of the value.
    @inlinable
    package func load(ordering: AtomicLoadOrdering) -> Value {
        switch ordering.order {
        case MemoryOrder.relaxed: Value(atomicWord: daybook_load_relaxed(word))
        case MemoryOrder.acquire: Value(atomicWord: daybook_load_acquire(word))
        default: Value(atomicWord: daybook_load_seq_cst(word))
        }
    }

    @inlinable
    package func store(_ value: Value, ordering: AtomicStoreOrdering) {
        switch ordering.order {
        case MemoryOrder.relaxed: daybook_store_relaxed(word, value.atomicWord)
        case MemoryOrder.release: daybook_store_release(word, value.atomicWord)
        default: daybook_store_seq_cst(word, value.atomicWord)
        }
    }

    @inlinable
    package func exchange(_ value: Value, ordering: AtomicUpdateOrdering) -> Value {
        switch ordering.order {
        case MemoryOrder.relaxed: Value(atomicWord: daybook_exchange_relaxed(word, value.atomicWord))
        default: Value(atomicWord: daybook_exchange_seq_cst(word, value.atomicWord))
        }
    }

    /// - Returns: Whether it stored, and the value before.
    @inlinable
    package func compareExchange(expected: Value, desired: Value) -> (exchanged: Bool, original: Value) {
        var seen = expected.atomicWord
        let exchanged = daybook_compare_exchange(word, &seen, desired.atomicWord)
        return (exchanged, Value(atomicWord: seen))
    }
}

extension Atomic {
    /// Sets the word in every forked child before anything else runs there. Call ``forgetInChildren()`` before the word
    /// is freed.
    package func setInChildren(_ value: Value) { daybook_set_in_child(word, value.atomicWord) }

    package func forgetInChildren() { daybook_forget_in_child(word) }
}

extension Atomic where Value: FixedWidthInteger {
    /// Wraps on overflow.
    @inlinable @discardableResult
    package func add(_ operand: Value, ordering: AtomicUpdateOrdering) -> Value {
        switch ordering.order {
        case MemoryOrder.relaxed: Value(atomicWord: daybook_add_relaxed(word, operand.atomicWord))
        default: Value(atomicWord: daybook_add_seq_cst(word, operand.atomicWord))
        }
    }

    /// Wraps on overflow.
    @inlinable @discardableResult
    package func subtract(_ operand: Value, ordering: AtomicUpdateOrdering) -> Value {
        add(0 &- operand, ordering: ordering)
    }
}

// Structs, like the standard library's: an enum adds its equality and hash to each program.

/// C11's memory orders.
@usableFromInline
enum MemoryOrder {
    @inlinable static var relaxed: UInt8 { 0 }
    @inlinable static var acquire: UInt8 { 2 }
    @inlinable static var release: UInt8 { 3 }
    @inlinable static var sequentiallyConsistent: UInt8 { 5 }
}

/// C11's relaxed, acquire and sequentially consistent.
@usableFromInline
package struct AtomicLoadOrdering {
    @usableFromInline let order: UInt8

    @inlinable init(order: UInt8) { self.order = order }

    @inlinable package static var relaxed: Self { Self(order: MemoryOrder.relaxed) }
    @inlinable package static var acquiring: Self { Self(order: MemoryOrder.acquire) }
    @inlinable package static var sequentiallyConsistent: Self { Self(order: MemoryOrder.sequentiallyConsistent) }
}

/// C11's relaxed, release and sequentially consistent.
@usableFromInline
package struct AtomicStoreOrdering {
    @usableFromInline let order: UInt8

    @inlinable init(order: UInt8) { self.order = order }

    @inlinable package static var relaxed: Self { Self(order: MemoryOrder.relaxed) }
    @inlinable package static var releasing: Self { Self(order: MemoryOrder.release) }
    @inlinable package static var sequentiallyConsistent: Self { Self(order: MemoryOrder.sequentiallyConsistent) }
}

/// C11's relaxed and sequentially consistent.
@usableFromInline
package struct AtomicUpdateOrdering {
    @usableFromInline let order: UInt8

    @inlinable init(order: UInt8) { self.order = order }

    @inlinable package static var relaxed: Self { Self(order: MemoryOrder.relaxed) }
    @inlinable package static var sequentiallyConsistent: Self { Self(order: MemoryOrder.sequentiallyConsistent) }
}

extension UInt64: AtomicWord {
    @inlinable package init(atomicWord: UInt64) { self = atomicWord }
    @inlinable package var atomicWord: UInt64 { self }
}

extension UInt: AtomicWord {
    @inlinable package init(atomicWord: UInt64) { self.init(truncatingIfNeeded: atomicWord) }
    @inlinable package var atomicWord: UInt64 { UInt64(self) }
}

extension Int: AtomicWord {
    @inlinable package init(atomicWord: UInt64) { self.init(truncatingIfNeeded: atomicWord) }
    @inlinable package var atomicWord: UInt64 { UInt64(truncatingIfNeeded: self) }
}

extension UInt32: AtomicWord {
    @inlinable package init(atomicWord: UInt64) { self.init(truncatingIfNeeded: atomicWord) }
    @inlinable package var atomicWord: UInt64 { UInt64(self) }
}

extension UInt8: AtomicWord {
    @inlinable package init(atomicWord: UInt64) { self.init(truncatingIfNeeded: atomicWord) }
    @inlinable package var atomicWord: UInt64 { UInt64(self) }
}

extension AtomicWord where Self: RawRepresentable, RawValue == UInt8 {
    // Only a case's raw value is ever stored.
    @inlinable package init(atomicWord: UInt64) {
        guard let value = Self(rawValue: UInt8(truncatingIfNeeded: atomicWord)) else {
            preconditionFailure("no case \(atomicWord)")
        }
        self = value
    }

    @inlinable package var atomicWord: UInt64 { UInt64(rawValue) }
}

extension Bool: AtomicWord {
    @inlinable package init(atomicWord: UInt64) { self = atomicWord != 0 }
    @inlinable package var atomicWord: UInt64 { self ? 1 : 0 }
}
