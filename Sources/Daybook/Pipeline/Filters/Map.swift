/// Changes the records of some tags with a closure: `Map("old.*") { $0.tag = "new." + ($1 ?? "") }`.
public struct Map: FilterStage, Filter {
    public let pattern: String
    private let change: @Sendable (inout Record, Substring?) -> Void

    /// Changes what matches. The closure's second argument is what the pattern's wildcard stands for. It runs on the
    /// logging thread: it must be quick and must not wait.
    public init(_ pattern: String, _ change: @escaping @Sendable (inout Record, Substring?) -> Void) {
        self.pattern = pattern
        self.change = change
    }

    public var action: FilterAction { .rewrite(self) }

    public func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
        var record = record
        change(&record, captured)
        emit(record)
    }
}
