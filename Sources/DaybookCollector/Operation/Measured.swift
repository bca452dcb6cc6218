/// What is measured where somebody asks: by one question at a time, which answers all who came meanwhile, and for which nobody
/// waits longer than a moment. Whoever asks while it is not answered gets the last answer, so that a store with many readers
/// stops neither `/healthz` nor `/metrics`.
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
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private var nextWaiting = 0

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
            Task { finish(await measure()) }
            await waitForEnd()
        } else if asked != nil, last == nil {
            await waitForEnd()
        }
        return Answer(value: last?.value, unanswered: asked.map { now() &- $0 } ?? 0)
    }

    private func finish(_ value: Value) {
        (last, asked) = ((value, now()), nil)
        for continuation in waiting.values { continuation.resume() }
        waiting = [:]
    }

    private func waitForEnd() async {
        nextWaiting += 1
        let number = nextWaiting
        await withCheckedContinuation { continuation in
            waiting[number] = continuation
            Task {
                try? await Task.sleep(for: patience)
                waiting.removeValue(forKey: number)?.resume()
            }
        }
    }
}
