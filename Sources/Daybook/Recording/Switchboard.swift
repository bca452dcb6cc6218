import DaybookBase

/// The routing table in force, and those of earlier settings.
///
/// A log call reads one word and takes no lock. Sound: the word is the address of a table in `tables`, which only
/// grows, and a log call's pipeline holds the switchboard. It grows by one table (a few kilobytes) per distinct
/// setting, not per switch.
struct Switchboard: ~Copyable, Sendable {
    /// Not private: Swift 6.3.1 emits the metadata of a private type within a non-copyable one wrongly.
    struct State {
        var switches: [OutputSwitch]
        var tables: [[OutputSwitch]: RoutingTable]
    }

    private let state: Mutex<State>
    private let address: Atomic<UInt>
    let threshold: LevelThreshold

    init(_ table: RoutingTable) {
        let switches = table.outputs.map { _ in OutputSwitch() }
        // A forked child records nothing: its log calls would write into the parent's journal.
        let off = table.outputs.map { _ in OutputSwitch(isOn: false) }
        var tables = [switches: table]
        let silent = tables[off] ?? RoutingTable(table, switches: off)
        tables[off] = silent
        state = Mutex(State(switches: switches, tables: tables))
        address = Atomic(Self.address(of: table))
        threshold = LevelThreshold(table.minimumSeverity)
        address.setInChildren(Self.address(of: silent))
    }

    deinit { address.forgetInChildren() }

    private static func address(of table: RoutingTable) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque())
    }

    /// The table in force, without reference counting.
    @inline(__always)
    var lent: Unmanaged<RoutingTable> {
        // Never 0: the initialiser sets it, and only addresses replace it. Acquiring, so that the table is complete.
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).unsafelyUnwrapped)
    }

    var table: RoutingTable { lent.takeUnretainedValue() }

    /// Changes an output's switches for log calls that begin afterwards, on every thread.
    /// - Throws: ``PipelineError`` (`unknownOutput`).
    func change(_ id: String, _ change: (inout OutputSwitch) -> Void) throws {
        try state.withLock { state in
            let base = table
            guard let index = base.outputs.firstIndex(where: { $0.id == id }) else {
                throw PipelineError.unknownOutput(id, known: base.outputs.map(\.id))
            }
            change(&state.switches[index])
            let table = state.tables[state.switches] ?? RoutingTable(base, switches: state.switches)
            state.tables[state.switches] = table
            address.store(Self.address(of: table), ordering: .releasing)
            threshold.minimum.store(table.minimumSeverity, ordering: .releasing)
        }
    }

    /// `nil` if no output has this id.
    func current(_ id: String) -> OutputSwitch? {
        state.withLock { state in
            table.outputs.firstIndex { $0.id == id }.map { state.switches[$0] }
        }
    }
}

/// The state of an output's switches.
struct OutputSwitch: Sendable, Hashable {
    var isOn = true
    /// Replaces its routes' levels.
    var level: Level?

    func levels(of route: LevelSet) -> LevelSet { isOn ? level.map(LevelSet.init(from:)) ?? route : .none }
}
