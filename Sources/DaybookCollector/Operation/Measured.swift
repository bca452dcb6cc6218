import DaybookBase
import DaybookTools
import Dispatch

/// What is measured where somebody asks: by one question at a time, which answers all who came meanwhile, and for which nobody
/// waits longer than a moment. Whoever asks while it is not answered gets the last answer, so that a store with many readers
/// stops neither `/healthz` nor `/metrics`. It is measured on the threads of who asks, and the moment is up by a queue of its
/// own: whatever holds the threads that tasks share holds neither.
package actor Measured<Value: Sendable> {
    /// What is known now.
    package struct Answer: Sendable {
        /// The last measurement; `nil` before the first was over.
        package var value: Value?
        /// For how many nanoseconds the present measurement has not been answered; 0 where none is under way.
        package var unanswered: UInt64
    }

    private let age: UInt64
    private let patience: Duration
    private let now: @Sendable () -> UInt64
    private let measure: @Sendable () async -> Value
    private var last: (value: Value, time: UInt64)?
    /// When the present measurement began.
    private var asked: UInt64?
    private let alarms = DispatchQueue(label: "daybook.measured")
    private var waiting: [Waiter] = []

    /// Goes on once: when the measurement is over, or the moment is.
    private final class Waiter: Sendable {
        private let continuation: Mutex<CheckedContinuation<Void, Never>?>

        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

        func goOn() { continuation.withLock { $0.take() }?.resume() }
    }

    /// - Parameters:
    ///   - age: nanoseconds for which a measurement is new enough.
    ///   - patience: how long whoever asks waits for a measurement. Default: 250 ms.
    ///   - now: nanoseconds since some fixed point, never set back.
    package init(
        age: UInt64, patience: Duration = .milliseconds(250), now: @escaping @Sendable () -> UInt64,
        measure: @escaping @Sendable () async -> Value
    ) {
        (self.age, self.patience, self.now, self.measure) = (age, patience, now, measure)
    }

    /// Measures where the last measurement is too old and none is under way.
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
