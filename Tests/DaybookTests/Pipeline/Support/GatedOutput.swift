import Daybook
import DaybookBase

/// A batch output that hands each batch to the test and waits for its answer.
final class GatedOutput: BatchOutput {
    let id: String
    private let begun = AsyncStream<Batch>.makeStream()
    private let answers = AsyncStream<Delivery>.makeStream()
    private let state = Mutex<(taken: [Batch], open: Bool, begun: Int)>(([], false, 0))

    init(id: String = "gated") { self.id = id }

    func send(_ batch: Batch) async -> Delivery {
        if state.withLock({ state in
            state.begun += 1
            if state.open { state.taken.append(batch) }
            return state.open
        }) {
            return .delivered
        }
        begun.continuation.yield(batch)
        var iterator = answers.stream.makeAsyncIterator()
        guard let answer = await iterator.next() else { return .retry(after: nil, reason: "cancelled") }
        if answer == .delivered { state.withLock { $0.taken.append(batch) } }
        return answer
    }

    func next() async -> Batch {
        var iterator = begun.stream.makeAsyncIterator()
        while true {
            if let batch = await iterator.next() { return batch }
        }
    }

    func answer(_ delivery: Delivery) { answers.continuation.yield(delivery) }

    /// Accepts everything from now on, including the batch in flight.
    func open() {
        state.withLock { $0.open = true }
        answer(.delivered)
    }

    var begunCount: Int { state.withLock { $0.begun } }

    var records: [Record] { state.withLock { $0.taken }.flatMap(\.records) }
}
