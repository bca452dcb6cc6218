/// A rewriting filter that can tell from a record's bytes that it would leave it alone, so that most records need not be
/// built. It changes values only: never the tag or the level, and it neither drops nor splits.
protocol Screen: Filter {
    /// Whether the record, as it is encoded, would come out unchanged. `false` where in doubt.
    func leaves(_ payload: UnsafeRawBufferPointer, isSpan: Bool) -> Bool

    /// What takes the record's place.
    func screened(_ record: Record) -> Record
}

extension Screen {
    public func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) { emit(screened(record)) }
}
