extension Log {
    /// Records what another logging library has taken: with the time, the place in the source and the span that it knows.
    ///
    /// The bridges from swift-log, Puree and the system's log use it; a team's own bridge can. Everything applies that
    /// applies to a call: level, routes, filters, context and session of now. The record's `sequence` and `context` are
    /// ignored. Where the record's tag is empty this log's is used, and where its time is 0 the time of the call. May be
    /// called from any thread; never throws or waits.
    public func forward(_ record: Record) {
        guard isEnabled(record.level) else { return }
        var record = record
        if record.tag.isEmpty { record.tag = tag }
        if record.time == 0 { record.time = (core?.clock ?? .system).wall() }
        let isTaken = withCore { $0.forward(record) }
        if !isTaken { EarlyRecords.keep(record) }
    }
}
