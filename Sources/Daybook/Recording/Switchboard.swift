import DaybookBase

/// The routing table in force, and the others that switching has made before.
///
/// A log call reads one word and takes no lock. Sound: the word is the address of a table that `tables` holds, and
/// `tables` only grows, so that a table found there lives as long as the switchboard, which a log call's pipeline holds.
/// It grows by one table (a few kilobytes) per distinct setting, not per switching: there and back makes two.
struct Switchboard: ~Copyable, Sendable {
    /// Not private: Swift 6.3.1 emits the metadata of a private type within a non-copyable one wrongly.
    struct State {
        var switches: [OutputSwitch]
        var tables: [[OutputSwitch]: RoutingTable]
    }

    private let state: Mutex<State>
    private let address: Atomic<UInt>
    /// Below this severity number no route takes anything.
    let threshold: LevelThreshold

    init(_ table: RoutingTable) {
        let switches = table.outputs.map { _ in OutputSwitch() }
        // In a forked child nothing is recorded: its log calls would write into the parent's journal.
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

    /// The table in force, for a log call, which counts no references to it.
    @inline(__always)
    var lent: Unmanaged<RoutingTable> {
        // Never 0: it is set by the initialiser and replaced by addresses alone. Acquiring, so that the table is whole.
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).unsafelyUnwrapped)
    }

    /// The table in force.
    var table: RoutingTable { lent.takeUnretainedValue() }

    /// Changes how an output is switched: log calls that begin afterwards see it, on every thread.
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

    /// How an output is switched, or `nil` if there is none of this id.
    func current(_ id: String) -> OutputSwitch? {
        state.withLock { state in
            table.outputs.firstIndex { $0.id == id }.map { state.switches[$0] }
        }
    }
}

/// What has been switched of an output while the pipeline runs.
struct OutputSwitch: Sendable, Hashable {
    var isOn = true
    /// In place of its routes' levels.
    var level: Level?

    /// The levels of a route to the output.
    func levels(of route: LevelSet) -> LevelSet { isOn ? level.map(LevelSet.init(from:)) ?? route : .none }
}
