import DaybookBase

/// Takes records one at a time: a console, a crash reporter, a closure.
public protocol Output: Sendable {
    /// The name under which the output is known in ledgers and on disk; unique in a pipeline. Default: the type's name.
    var id: String { get }

    /// Takes a record. For an `.immediate` route, called by one thread at a time, in order of sequence; for an
    /// `.inline` one, on the logging threads, any number at once.
    func write(_ record: Record)

    /// Whether ``start(_:)`` is called. Asked once, when the pipeline is created. Default: no.
    var takesStarts: Bool { get }

    /// Takes a measurement or a request that has begun: a record of kind `span` or `request` without a duration, and
    /// with only the attributes that filters added. Called like ``write(_:)``, only for the route's records. No ledger
    /// counts it.
    ///
    /// The record with the same `Record.span` follows at its end, unless a filter drops it, for instance a
    /// ``RateLimit``, or nobody ends the measurement. Limit how many open ones you keep.
    func start(_ record: Record)
}

extension Output {
    public var id: String { String(describing: Self.self) }
    public var takesStarts: Bool { false }
    public func start(_ record: Record) {}
}

/// Takes records in batches and reports what happened to them: a server, a file that is uploaded.
public protocol BatchOutput: Sendable {
    /// The name under which the output's stored records are kept; unique in a pipeline, and the same at every launch.
    /// Default: the type's name.
    var id: String { get }

    /// Whether delivery needs a network: while ``PipelineOptions/conditions`` reports none, nothing is sent, and a
    /// route may wait while the network is expensive or constrained. Read at every change. Default: yes.
    var needsNetwork: Bool { get }

    /// Delivers a batch. One batch is under way at a time; the next comes after this call has returned.
    func send(_ batch: Batch) async -> Delivery
}

extension BatchOutput {
    public var id: String { String(describing: Self.self) }
    public var needsNetwork: Bool { true }
}

/// What happened to a batch.
public enum Delivery: Sendable, Hashable, CustomStringConvertible {
    /// It arrived: its records are delivered.
    case delivered
    /// It arrived, but the receiver will never accept this many of its records, and does not say which; they are
    /// dropped and counted.
    case partly(rejected: Int)
    /// It arrived, but the receiver will never accept the records at these indexes of ``Batch/records``; they are put
    /// in quarantine. Indexes out of range are ignored.
    case reject([Int], reason: String)
    /// It did not arrive; try again, after this long if the receiver said so.
    case retry(after: Duration?, reason: String)
    /// Nobody said what became of it: the connection broke, or the time was over. It is tried again. A server that breaks
    /// connections instead of refusing what is too large is found out by smaller batches that arrive.
    case noAnswer(reason: String)
    /// The receiver refuses the batch as it is: too large, or something in it is invalid. Smaller ones follow, until the
    /// record at fault is found; that one is put in quarantine.
    case refused(reason: String)
    /// The receiver refuses this sender: wrong address or key. The output pauses and keeps its records.
    case pause(reason: String)

    public var description: String {
        switch self {
        case .delivered: "delivered"
        case .partly(let rejected): "partly: \(rejected) rejected"
        case .reject(let indexes, let reason): "reject \(indexes): \(reason)"
        case .retry(let delay?, let reason): "retry after \(delay): \(reason)"
        case .retry(nil, let reason): "retry: \(reason)"
        case .noAnswer(let reason): "no answer: \(reason)"
        case .refused(let reason): "refused: \(reason)"
        case .pause(let reason): "pause: \(reason)"
        }
    }
}

/// Passes records to a closure: the few lines between Daybook and a crash reporter or a performance tool.
///
/// The closure is called like ``Output/write(_:)``: by one thread at a time for an `.immediate` route; on the logging
/// threads, any number at once, for an `.inline` one. What it logs goes only to the other outputs.
public struct ClosureOutput: Output {
    public let id: String
    private let body: @Sendable (Record) -> Void

    /// Creates an output from a closure.
    ///
    /// ```swift
    /// Route("**", to: ClosureOutput(id: "tags") { record in print(record.tag) })
    /// ```
    /// - Parameters:
    ///   - id: The output's name in ledgers; unique in a pipeline.
    ///   - body: Takes a record. It must return soon: while it runs, the following records wait.
    public init(id: String, _ body: @escaping @Sendable (Record) -> Void) {
        self.id = id
        self.body = body
    }

    public func write(_ record: Record) { body(record) }
}

/// An output that can be turned off and on while the app runs, from any thread.
///
/// Records that arrive while it is off are discarded; the ledger counts them as delivered.
public final class SwitchedOutput<Base: Output>: Output {
    private let base: Base
    private let state: Atomic<Bool>

    /// Wraps an output under the same id.
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
