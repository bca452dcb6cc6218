/// Hands records to a closure: the few lines between Daybook and a crash reporter or a performance tool.
///
/// The closure is called as ``Output/write(_:)`` is: by one thread at a time for a route that is `.immediate`, on the
/// logging threads, any number at once, for one that is `.inline`. What it logs goes to the other outputs only.
public struct ClosureOutput: Output {
    public let id: String
    private let body: @Sendable (Record) -> Void

    /// An output.
    /// - Parameters:
    ///   - id: The name under which the output is known in ledgers; unique in a pipeline.
    ///   - body: Takes a record. It must come back soon: while it runs, the records behind wait.
    public init(id: String, _ body: @escaping @Sendable (Record) -> Void) {
        self.id = id
        self.body = body
    }

    public func write(_ record: Record) { body(record) }
}
