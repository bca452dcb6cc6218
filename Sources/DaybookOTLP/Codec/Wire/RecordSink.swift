import Daybook

/// Takes the records of a request one after another, as they are read.
package protocol RecordSink<Record> {
    /// ``WireLogRecord`` or ``WireSpan``.
    associatedtype Record

    /// The scopes that follow are of this resource.
    mutating func begin(resource: Attributes)
    /// The records that follow are of this scope.
    /// - Parameter count: how many follow, if the request can be read to its end.
    mutating func begin(scope: InstrumentationScope, count: Int)
    /// Takes a record. What it borrows is valid during the call only.
    mutating func take(_ record: Record)
}
