/// The attribute names that Daybook interprets on the wire.
///
/// A `StaticString` where encoders write it, a `String` where it is looked up; both work in a `switch`.
package enum WireName {
    package static let ownPrefix = "daybook."
    /// The tag of a record that is not an event.
    package static let tag: StaticString = "daybook.tag"
    /// The kind, where OpenTelemetry's own fields do not imply it.
    package static let kind: StaticString = "daybook.kind"
    /// The module, where the file does not imply it.
    package static let module: StaticString = "daybook.module"
    /// A span's severity number, which OpenTelemetry lacks; absent for `info`.
    package static let severity: StaticString = "daybook.severity"
    /// On a span that was never ended: a crash, or a forgotten `end()`.
    package static let unfinished: StaticString = "daybook.unfinished"
    /// On a record whose resource and common attributes could not be read.
    package static let contextUnknown: StaticString = "daybook.context.unknown"
    /// The private attributes of a record, then the private common ones: masked on screens and in files.
    package static let privateNames: StaticString = "daybook.private"
    package static let privateCommonNames: StaticString = "daybook.private.common"
    /// On a record that the receiver refused permanently: the reason.
    package static let refused: StaticString = "daybook.refused"
    /// How many records a sampled one stands for.
    package static let sampleWeight: StaticString = "daybook.sample.weight"
    /// On a record with a column that did not fit and was left out; the column's name follows.
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
    /// An event's name, from before log records had a field for it.
    package static let olderEventName = "event.name"
    /// Stream and sequence.
    package static let uid = "log.record.uid"
    package static let session: StaticString = "session.id"
    /// A resource attribute.
    package static let installation = "app.installation.id"
    /// Scope attributes: a batch's source, and the sequence numbers that it settles.
    package static let stream = "daybook.stream"
    package static let output = "daybook.output"
    /// A scope attribute: proves that a stream's requests come from the installation that began it.
    package static let proof = "daybook.proof"
    package static let intervalAfter = "daybook.interval.after"
    package static let intervalThrough = "daybook.interval.through"
    /// Scope attributes: what the output has lost since the pipeline was opened; the reason follows.
    package static let droppedPrefix = "daybook.dropped."
    /// A scope attribute: the names of the common attributes.
    package static let contextKeys = "daybook.context.keys"
}

/// Matches a key in a `switch` without making a `String`.
package func ~= (name: StaticString, key: String) -> Bool {
    var key = key
    return key.withUTF8 { key in name.withUTF8Buffer { $0.count == key.count && $0.elementsEqual(key) } }
}
