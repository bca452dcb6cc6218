/// The attribute names that Daybook gives meaning to on the wire.
///
/// A `StaticString` where the encoders write it, a `String` where it is looked up; both match a key in a `switch`.
package enum WireName {
    /// What the names of Daybook's own begin with.
    package static let ownPrefix = "daybook."
    /// The tag of what is not an event.
    package static let tag: StaticString = "daybook.tag"
    /// The kind, where OpenTelemetry's own fields do not tell it.
    package static let kind: StaticString = "daybook.kind"
    /// The module that logged, where the file does not tell it.
    package static let module: StaticString = "daybook.module"
    /// The severity number of a span, which OpenTelemetry gives none; absent for `info`.
    package static let severity: StaticString = "daybook.severity"
    /// Set on a span that no call ended: a crash, or a forgotten `end()`.
    package static let unfinished: StaticString = "daybook.unfinished"
    /// Set on a record whose resource and common attributes could not be read back.
    package static let contextUnknown: StaticString = "daybook.context.unknown"
    /// The names of a record's attributes that are masked on screens and in files, and of those common to all records.
    package static let privateNames: StaticString = "daybook.private"
    package static let privateCommonNames: StaticString = "daybook.private.common"
    /// Set on a record that its receiver refused for good: why.
    package static let refused: StaticString = "daybook.refused"
    /// How many records like it were logged for one that was kept by sampling.
    package static let sampleWeight: StaticString = "daybook.sample.weight"
    /// Set on a record whose column was left out because it did not fit; the column's name follows.
    package static let rejectedPrefix: StaticString = "daybook.rejected."
    /// OpenTelemetry semantic conventions, *Code attributes*; then the names before version 1.30.
    package static let file: StaticString = "code.file.path"
    package static let function: StaticString = "code.function.name"
    package static let line: StaticString = "code.line.number"
    package static let column: StaticString = "code.column.number"
    package static let olderFile: StaticString = "code.filepath"
    package static let olderFunction: StaticString = "code.function"
    package static let olderLine: StaticString = "code.lineno"
    /// OpenTelemetry semantic conventions, *Exceptions*.
    package static let exceptionType = "exception.type"
    package static let exceptionMessage = "exception.message"
    /// OpenTelemetry semantic conventions, *HTTP spans*; then the name before version 1.21.
    package static let httpMethod = "http.request.method"
    package static let olderHTTPMethod = "http.method"
    /// The name of an event, from before log records had a field for it.
    package static let olderEventName = "event.name"
    /// The record's identity: stream and sequence.
    package static let uid = "log.record.uid"
    /// The user's visit.
    package static let session: StaticString = "session.id"
    /// A resource attribute: the installation.
    package static let installation = "app.installation.id"
    /// Scope attributes: where a batch comes from, and which sequence numbers it settles.
    package static let stream = "daybook.stream"
    package static let output = "daybook.output"
    /// A scope attribute: what shows that a stream's requests come from the installation that began it.
    package static let proof = "daybook.proof"
    package static let intervalAfter = "daybook.interval.after"
    package static let intervalThrough = "daybook.interval.through"
    /// Scope attributes: what the output has lost since its pipeline was opened; the reason follows.
    package static let droppedPrefix = "daybook.dropped."
    /// A scope attribute: the names of the attributes that are common to all records.
    package static let contextKeys = "daybook.context.keys"
}

/// Whether a key is a name, in a `switch`, without making a `String` of the name.
package func ~= (name: StaticString, key: String) -> Bool {
    var key = key
    return key.withUTF8 { key in name.withUTF8Buffer { $0.count == key.count && $0.elementsEqual(key) } }
}
