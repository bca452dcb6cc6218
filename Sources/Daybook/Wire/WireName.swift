/// The attribute names that Daybook gives meaning to on the wire.
package enum WireName {
    /// The tag of what is not an event.
    package static let tag: StaticString = "daybook.tag"
    /// The severity number of a span, which OpenTelemetry gives none; absent for `info`.
    package static let severity: StaticString = "daybook.severity"
    /// Set on a span that no call ended: a crash, or a forgotten `end()`.
    package static let unfinished: StaticString = "daybook.unfinished"
    /// How many records like it were logged for one that was kept by sampling.
    package static let sampleWeight = "daybook.sample.weight"
    /// OpenTelemetry semantic conventions, *Code attributes*.
    package static let file: StaticString = "code.file.path"
    package static let function: StaticString = "code.function.name"
    package static let line: StaticString = "code.line.number"
    /// OpenTelemetry semantic conventions, *Exceptions*.
    package static let exceptionType = "exception.type"
    /// OpenTelemetry semantic conventions, *HTTP spans*.
    package static let httpMethod = "http.request.method"
    /// The record's identity: stream and sequence.
    package static let uid = "log.record.uid"
    /// The user's visit.
    package static let session: StaticString = "session.id"
    /// Scope attributes: where a batch comes from, and which sequence numbers it settles.
    package static let stream = "daybook.stream"
    package static let output = "daybook.output"
    package static let intervalAfter = "daybook.interval.after"
    package static let intervalThrough = "daybook.interval.through"
    /// A scope attribute: the names of the attributes that are common to all records.
    package static let contextKeys = "daybook.context.keys"
}
