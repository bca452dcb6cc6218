/// The outputs and the context from a frame on.
struct StreamState: Sendable {
    /// The first frame for which this holds.
    let from: UInt64
    let context: JournalContext
    let tableVersion: UInt16
    let outputs: OutputTable
}

/// What held for the frames that the ring has, in order.
struct StreamStates: Sendable {
    private var states: [StreamState] = []

    /// What holds now. Begun before anything else is done with a journal.
    var last: StreamState? { states.last }

    mutating func append(_ state: StreamState) {
        // Nothing was written under what the last one said.
        if states.last?.from == state.from { states.removeLast() }
        states.append(state)
    }

    /// What held for a frame.
    func state(of sequence: UInt64) -> StreamState? {
        states.last { $0.from <= sequence } ?? states.first
    }

    /// What held for some frames, in order.
    func states(from first: UInt64, through last: UInt64) -> [StreamState] {
        let index = states.lastIndex { $0.from <= first } ?? 0
        return Array(states[index...].prefix { $0.from <= max(first, last) })
    }

    /// The first frame after this one for which there are other outputs: it begins a segment.
    func nextTable(after sequence: UInt64) -> UInt64 {
        guard let version = state(of: sequence)?.tableVersion else { return .max }
        return states.first { $0.from > sequence && $0.tableVersion != version }?.from ?? .max
    }

    /// Forgets what held for frames before this one alone.
    mutating func forget(before sequence: UInt64) {
        guard let index = states.lastIndex(where: { $0.from <= sequence }), index > 0 else { return }
        states.removeFirst(index)
    }
}
