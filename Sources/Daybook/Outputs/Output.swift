/// Takes records one at a time: a console, a crash reporter, a closure.
public protocol Output: Sendable {
    /// The name under which the output is known in ledgers and on disk; unique in a pipeline. Default: the type's name.
    var id: String { get }

    /// Takes a record. Called by one thread at a time, in order of sequence, for a route that is `.immediate`; on the
    /// logging threads, any number at once, for one that is `.inline`.
    func write(_ record: Record)
}

extension Output {
    public var id: String { String(describing: Self.self) }
}

/// Takes records in batches, and says what became of them: a server, a file that is uploaded.
public protocol BatchOutput: Sendable {
    /// The name under which the output's stored records are kept; unique in a pipeline, and the same at every launch.
    /// Default: the type's name.
    var id: String { get }

    /// Whether delivering needs a network: while ``PipelineOptions/reachability`` says that there is none, nothing is
    /// sent. Asked for at every change. Default: yes.
    var needsNetwork: Bool { get }

    /// Delivers a batch. One batch at a time is under way; the next comes after this call returned.
    func send(_ batch: Batch) async -> Delivery
}

extension BatchOutput {
    public var id: String { String(describing: Self.self) }
    public var needsNetwork: Bool { true }
}
