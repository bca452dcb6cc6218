import Daybook
import Synchronization

/// A batch output that takes everything and remembers it, or answers as it is told.
///
/// Safe to share between threads.
public final class CollectingOutput: BatchOutput {
    public let id: String
    private let state: Mutex<State>

    private struct State {
        var batches: [Batch] = []
        var answers: [Delivery]
    }

    /// An output.
    /// - Parameters:
    ///   - id: Its id in the pipeline. Default: `collecting`.
    ///   - answers: What it answers first, in order; afterwards it takes everything.
    public init(id: String = "collecting", answers: [Delivery] = []) {
        self.id = id
        state = Mutex(State(answers: answers))
    }

    public func send(_ batch: Batch) async -> Delivery {
        state.withLock { state in
            let answer = state.answers.isEmpty ? .delivered : state.answers.removeFirst()
            if answer == .delivered { state.batches.append(batch) }
            return answer
        }
    }

    /// The batches that were delivered, in order.
    public var batches: [Batch] { state.withLock { $0.batches } }

    /// The records that were delivered, in order.
    public var records: [Record] { batches.flatMap(\.records) }
}
