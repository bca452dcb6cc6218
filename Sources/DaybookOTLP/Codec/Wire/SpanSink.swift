import Daybook

/// Takes the spans of a request one after another, as they are read.
package protocol SpanSink {
    /// The scopes that follow are of this resource.
    mutating func begin(resource: Attributes)
    /// The spans that follow are of this scope.
    /// - Parameter count: how many follow, if the request can be read to its end.
    mutating func begin(scope: InstrumentationScope, count: Int)
    /// Takes a span. What it borrows is valid during the call only.
    mutating func take(_ span: WireSpan)
}
