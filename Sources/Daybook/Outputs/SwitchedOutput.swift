import Synchronization

/// An output that can be turned off and on while the app runs, from any thread.
///
/// What comes while it is off is taken and thrown away: the ledger counts it as delivered.
public final class SwitchedOutput<Base: Output>: Output {
    private let base: Base
    private let state: Atomic<Bool>

    /// Wraps an output, under its id.
    public init(_ base: Base, isOn: Bool = true) {
        self.base = base
        state = Atomic(isOn)
    }

    /// Whether records reach the output.
    public var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }

    public var id: String { base.id }

    public func write(_ record: Record) {
        if isOn { base.write(record) }
    }
}
