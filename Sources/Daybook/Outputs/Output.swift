import DaybookBase

/// Takes records one at a time: a console, a crash reporter, a closure.
public protocol Output: Sendable {
    /// The output's name in ledgers and on disk; unique in a pipeline. Default: the type's name.
    var id: String { get }

    /// Takes a record. An `.immediate` route calls it from one thread at a time, in order of sequence; an `.inline` one
    /// from the logging threads, concurrently.
    func write(_ record: Record)

    /// Whether ``start(_:)`` is called. Asked once, when the pipeline is created. Default: no.
    var takesStarts: Bool { get }

    /// Takes a measurement or request that has begun: kind `span` or `request`, without a duration, and with only the
    /// attributes that filters added. Called like ``write(_:)``, only for the route's records. Ledgers do not count it.
    ///
    /// The record with the same `Record.span` follows at its end, unless a filter drops it (for instance a
    /// ``RateLimit``) or the measurement is never ended. Limit how many open ones you keep.
    func start(_ record: Record)
}

extension Output {
    public var id: String { String(describing: Self.self) }
    public var takesStarts: Bool { false }
    public func start(_ record: Record) {}
}

/// Takes records in batches and reports what happened: a server, a file that is uploaded.
public protocol BatchOutput: Sendable {
    /// The name under which the output's records are stored; unique in a pipeline, and the same at every launch.
    /// Default: the type's name.
    var id: String { get }

    /// Whether delivery needs a network: nothing is sent while ``PipelineOptions/conditions`` reports none, and a route
    /// may wait while the network is expensive or constrained. Read at every change. Default: yes.
    var needsNetwork: Bool { get }

    /// Delivers a batch. Calls do not overlap.
    func send(_ batch: Batch) async -> Delivery
}

extension BatchOutput {
    public var id: String { String(describing: Self.self) }
    public var needsNetwork: Bool { true }
}

public enum Delivery: Sendable, Hashable, CustomStringConvertible {
    /// It arrived: its records are delivered.
    case delivered
    /// It arrived, but the receiver will never accept this many of its records, without saying which; they are dropped
    /// and counted.
    case partly(rejected: Int)
    /// It arrived, but the receiver will never accept the records at these indexes of ``Batch/records``; they are put
    /// in quarantine. Indexes out of range are ignored.
    case reject([Int], reason: String)
    /// It did not arrive; try again, after this long if the receiver said so.
    case retry(after: Duration?, reason: String)
    /// Unknown: the connection broke, or the time was over. It is tried again. Smaller batches find out whether the
    /// server breaks connections because they are too large.
    case noAnswer(reason: String)
    /// The batch is too large, or something in it is invalid. Smaller ones follow until the record at fault is found
    /// and put in quarantine.
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

/// Passes records to a closure, for instance for a crash reporter or a performance tool.
///
/// The closure is called like ``Output/write(_:)``. What it logs goes only to the other outputs.
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
    ///   - body: Takes a record. It must return soon: the next records wait.
    public init(id: String, _ body: @escaping @Sendable (Record) -> Void) {
        self.id = id
        self.body = body
    }

    public func write(_ record: Record) { body(record) }
}

/// An output that can be turned off and on at run time, from any thread.
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
