import CoreMetrics
import Daybook
import Foundation

/// A metric's numbers. Thread-safe.
protocol Metric: AnyObject, Sendable {
    var key: MetricKey { get }
    /// The changes since the last call; `nil` if none.
    func summary() -> Attributes?
}

/// A growing number; records its growth and total.
final class Counting: Metric, CounterHandler, FloatingPointCounterHandler {
    private struct State {
        var total = 0.0
        var increase = 0.0
        var hasChanged = false
    }

    let key: MetricKey
    private let state = Locked(State())

    init(_ key: MetricKey) { self.key = key }

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    func increment(by amount: Double) {
        state.withLock { state in
            state.total += amount
            state.increase += amount
            state.hasChanged = true
        }
    }

    func reset() {
        state.withLock { state in
            state.total = 0
            state.hasChanged = true
        }
    }

    func summary() -> Attributes? {
        state.withLock { state in
            guard state.hasChanged else { return nil }
            defer { (state.increase, state.hasChanged) = (0, false) }
            return key.attributes(["increase": .shortest(state.increase), "total": .shortest(state.total)])
        }
    }
}

/// A number that goes up and down; records its current value.
final class Metering: Metric, MeterHandler, RecorderHandler {
    let key: MetricKey
    private let state = Locked((value: 0.0, hasChanged: false))

    init(_ key: MetricKey) { self.key = key }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0 = (value, true) } }
    func increment(by amount: Double) { state.withLock { $0 = ($0.value + amount, true) } }
    func decrement(by amount: Double) { increment(by: -amount) }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func summary() -> Attributes? {
        state.withLock { state in
            guard state.hasChanged else { return nil }
            state.hasChanged = false
            return key.attributes(["value": .shortest(state.value)])
        }
    }
}

/// Individual values; records their count, sum and bounds. Timers are in nanoseconds.
final class Recording: Metric, RecorderHandler, TimerHandler {
    private struct State {
        var count: Int64 = 0
        var (sum, least, most, last) = (0.0, 0.0, 0.0, 0.0)
    }

    let key: MetricKey
    private let state = Locked(State())

    init(_ key: MetricKey) { self.key = key }

    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }

    func record(_ value: Double) {
        state.withLock { state in
            (state.least, state.most) =
                state.count == 0 ? (value, value) : (min(state.least, value), max(state.most, value))
            state.count += 1
            state.sum += value
            state.last = value
        }
    }

    func summary() -> Attributes? {
        state.withLock { state in
            guard state.count > 0 else { return nil }
            defer { state = State() }
            return key.attributes([
                "count": .int(state.count), "sum": .shortest(state.sum), "min": .shortest(state.least),
                "max": .shortest(state.most), "last": .shortest(state.last),
            ])
        }
    }
}

extension Value {
    /// An integer if the number is whole.
    fileprivate static func shortest(_ number: Double) -> Value {
        Int64(exactly: number).map { .int($0) } ?? Value(number)
    }
}

/// A value behind a lock.
///
/// Sound to share: the value is only accessed with the lock held.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
