/// The outputs and context from a frame on.
struct StreamState: Sendable {
    let from: UInt64
    let context: JournalContext
    let tableVersion: UInt16
    let outputs: OutputTable
}

/// The states of the ring's frames, in order.
struct StreamStates: Sendable {
    private var states: [StreamState] = []

    mutating func append(_ state: StreamState) {
        // No frame was written in the last state.
        if states.last?.from == state.from { states.removeLast() }
        states.append(state)
    }

    func state(of sequence: UInt64) -> StreamState? {
        states.last { $0.from <= sequence } ?? states.first
    }

    func states(from first: UInt64, through last: UInt64) -> [StreamState] {
        let index = states.lastIndex { $0.from <= first } ?? 0
        return Array(states[index...].prefix { $0.from <= max(first, last) })
    }

    /// The first later frame with other outputs, which begins a segment; `.max` if there is none.
    func nextTable(after sequence: UInt64) -> UInt64 {
        guard let version = state(of: sequence)?.tableVersion else { return .max }
        return states.first { $0.from > sequence && $0.tableVersion != version }?.from ?? .max
    }

    /// Forgets states that only held before a frame.
    mutating func forget(before sequence: UInt64) {
        guard let index = states.lastIndex(where: { $0.from <= sequence }), index > 0 else { return }
        states.removeFirst(index)
    }
}
