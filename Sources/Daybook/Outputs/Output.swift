import DaybookBase

/// Takes records one at a time: a console, a crash reporter, a closure.
public protocol Output: Sendable {
    /// The name under which the output is known in ledgers and on disk; unique in a pipeline. Default: the type's name.
    var id: String { get }

    /// Takes a record. Called by one thread at a time, in order of sequence, for a route that is `.immediate`; on the
    /// logging threads, any number at once, for one that is `.inline`.
    func write(_ record: Record)

    /// Whether ``start(_:)`` is called. Asked once, when the pipeline is made. Default: no.
    var takesStarts: Bool { get }

    /// Takes a measurement or a request that has begun: a record of kind `span` or `request` that has no duration yet, and
    /// only the attributes that filters added. Called as ``write(_:)`` is; of the route's records alone. No ledger counts it.
    ///
    /// The record with the same `Record.span` follows when it has ended; it does not where a filter drops it, a
    /// ``RateLimit`` for instance, or where nobody ends the measurement. Keep a bounded number of what is open.
    func start(_ record: Record)
}

extension Output {
    public var id: String { String(describing: Self.self) }
    public var takesStarts: Bool { false }
    public func start(_ record: Record) {}
}

/// Takes records in batches, and says what became of them: a server, a file that is uploaded.
public protocol BatchOutput: Sendable {
    /// The name under which the output's stored records are kept; unique in a pipeline, and the same at every launch.
    /// Default: the type's name.
    var id: String { get }

    /// Whether delivering needs a network: while ``PipelineOptions/conditions`` says that there is none, nothing is sent, and
    /// a route waits for its price. Asked for at every change. Default: yes.
    var needsNetwork: Bool { get }

    /// Delivers a batch. One batch at a time is under way; the next comes after this call returned.
    func send(_ batch: Batch) async -> Delivery
}

extension BatchOutput {
    public var id: String { String(describing: Self.self) }
    public var needsNetwork: Bool { true }
}

/// What became of a batch.
public enum Delivery: Sendable, Hashable {
    /// It arrived: its records are done.
    case delivered
    /// It arrived, but the receiver will never take this many of its records, and does not say which; they are dropped
    /// and counted.
    case partly(rejected: Int)
    /// It arrived, but the receiver will never take the records at these places in ``Batch/records``; they are put in
    /// quarantine. Places that are not there are ignored.
    case reject([Int], reason: String)
    /// It did not arrive; try again, after this long if the receiver said so.
    case retry(after: Duration?, reason: String)
    /// The receiver refuses the batch as it is: too large, or something in it is bad. It is halved until the record at
    /// fault is found; that one is put in quarantine.
    case refused(reason: String)
    /// The receiver refuses this sender: wrong address or key. The output pauses and keeps its records.
    case pause(reason: String)
}

/// Hands records to a closure: the few lines between Daybook and a crash reporter or a performance tool.
///
/// The closure is called as ``Output/write(_:)`` is: by one thread at a time for a route that is `.immediate`, on the
/// logging threads, any number at once, for one that is `.inline`. What it logs goes to the other outputs only.
public struct ClosureOutput: Output {
    public let id: String
    private let body: @Sendable (Record) -> Void

    /// Creates an output from a closure.
    ///
    /// ```swift
    /// Route("**", to: ClosureOutput(id: "tags") { record in print(record.tag) })
    /// ```
    /// - Parameters:
    ///   - id: The name under which the output is known in ledgers; unique in a pipeline.
    ///   - body: Takes a record. It must come back soon: while it runs, the records behind wait.
    public init(id: String, _ body: @escaping @Sendable (Record) -> Void) {
        self.id = id
        self.body = body
    }

    public func write(_ record: Record) { body(record) }
}

/// An output that can be turned off and on while the app runs, from any thread.
///
/// What comes while it is off is taken and thrown away: the ledger counts it as delivered.
public final class SwitchedOutput<Base: Output>: Output {
    private let base: Base
    private let state: Atomic<Bool>

    /// Wraps an output, under the same id.
    ///
    /// ```swift
    /// let console = SwitchedOutput(ConsoleOutput(), isOn: false)
    /// let pipeline = try Pipeline(directory: folder) { Route("**", to: console) }
    /// console.isOn = true
    /// ```
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

    public var takesStarts: Bool { base.takesStarts }

    public func start(_ record: Record) {
        if isOn { base.start(record) }
    }
}
