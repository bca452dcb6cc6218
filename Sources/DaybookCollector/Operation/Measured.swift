import DaybookBase
import DaybookTools
import Dispatch

/// Caches a measurement. At most one runs at a time and answers all callers, who wait briefly and then get the previous
/// result, so that slow reads of the store stall neither `/healthz` nor `/metrics`. Measurements run on the work
/// threads and timeouts on a queue of their own: a blocked cooperative pool delays neither.
package actor Measured<Value: Sendable> {
    package struct Answer: Sendable {
        /// The last measurement; `nil` before the first has ended.
        package var value: Value?
        /// Nanoseconds that the current measurement has been running; 0 if none is.
        package var unanswered: UInt64
    }

    private let age: UInt64
    private let patience: Duration
    private let now: @Sendable () -> UInt64
    private let measure: @Sendable () async -> Value
    private var last: (value: Value, time: UInt64)?
    /// Start of the current measurement.
    private var asked: UInt64?
    private let alarms = DispatchQueue(label: "daybook.measured")
    private var waiting: [Waiter] = []

    /// Resumes once: when the measurement ends or the timeout fires.
    private final class Waiter: Sendable {
        private let continuation: Mutex<CheckedContinuation<Void, Never>?>

        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

        func goOn() { continuation.withLock { $0.take() }?.resume() }
    }

    /// - Parameters:
    ///   - age: how many nanoseconds a measurement stays fresh.
    ///   - patience: how long a caller waits for a measurement. Default: 250 ms.
    ///   - now: monotonic, in nanoseconds.
    package init(
        age: UInt64, patience: Duration = .milliseconds(250), now: @escaping @Sendable () -> UInt64,
        measure: @escaping @Sendable () async -> Value
    ) {
        (self.age, self.patience, self.now, self.measure) = (age, patience, now, measure)
    }

    /// Starts a measurement if the last is stale and none is running.
    package func answer() async -> Answer {
        if asked == nil, last.map({ now() &- $0.time >= age }) ?? true {
            asked = now()
            WorkThreads.runBeside { [self] in await finish(measure()) }
            await waitForEnd()
        } else if asked != nil, last == nil {
            await waitForEnd()
        }
        return Answer(value: last?.value, unanswered: asked.map { now() &- $0 } ?? 0)
    }

    private func finish(_ value: Value) {
        (last, asked) = ((value, now()), nil)
        for waiter in waiting { waiter.goOn() }
        waiting = []
    }

    private func waitForEnd() async {
        var own: Waiter?
        await withCheckedContinuation { continuation in
            let waiter = Waiter(continuation)
            own = waiter
            waiting.append(waiter)
            alarms.asyncAfter(deadline: .now() + patience / .seconds(1)) { waiter.goOn() }
        }
        waiting.removeAll { $0 === own }
    }
}
