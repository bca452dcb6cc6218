import DaybookBase
import DaybookDefinitions
import DaybookStore
import DaybookTools

/// How much of a record to show: lists shorten long values.
package struct RecordBounds: Sendable {
    /// Bytes of a text.
    package var text: Int
    /// Bytes each of `attributes` and `context`.
    package var object: Int

    package static let listed = RecordBounds(text: 4_096, object: 16_384)
    package static let whole = RecordBounds(text: .max, object: .max)
}

/// A record for the page: masked, shortened, with its violations.
package struct ShownRecord: Sendable {
    /// `attributes` and `context` are JSON with numbers that JavaScript represents exactly.
    package var record: StoredRecord
    package var violations: [ShownViolation]
    package var isImplausible: Bool
    package var isMasked: Bool
    package var isCut: Bool

    /// - Parameters:
    ///   - defined: Finds violations in what is shown.
    ///   - times: The plausible times.
    package init(
        _ record: StoredRecord, by defined: DefinedEvents, times: Range<Int64>, masking: MaskingPolicy?,
        bounds: RecordBounds
    ) {
        var row = masking.map(record.row.masked) ?? record.row
        violations = defined.violations(row).map(ShownViolation.init)
        isImplausible = !times.contains(row.time)
        isMasked = record.isMasked || row != record.row
        var isCut = false
        row.cutTexts(bounds, &isCut)
        (self.record, self.isCut) = (StoredRecord(id: record.id, row: row), isCut)
    }

    fileprivate init(
        record: StoredRecord, violations: [ShownViolation], isImplausible: Bool, isMasked: Bool, isCut: Bool
    ) {
        (self.record, self.violations, self.isImplausible) = (record, violations, isImplausible)
        (self.isMasked, self.isCut) = (isMasked, isCut)
    }
}

extension RecordRow {
    fileprivate mutating func cutTexts(_ bounds: RecordBounds, _ isCut: inout Bool) {
        func cut(_ text: String, _ isCut: inout Bool) -> String {
            guard text.utf8.count > bounds.text else { return text }
            isCut = true
            return text.cut(toUTF8Bytes: bounds.text) + "…"
        }
        func spliced(_ json: String, _ isCut: inout Bool) -> String {
            var bytes: [UInt8] = []
            if JSONSplice.append(json, to: &bytes, limit: bounds.object == .max ? nil : bounds.object) { isCut = true }
            return String(decoding: bytes, as: UTF8.self)
        }
        (uid, tag) = (cut(uid, &isCut), cut(tag, &isCut))
        (attributes, context) = (spliced(attributes, &isCut), spliced(context, &isCut))
        let texts: [WritableKeyPath<RecordRow, String?>] = [
            \.message, \.module, \.session, \.installation, \.traceID, \.spanID, \.parentSpanID, \.file, \.function,
        ]
        for path in texts { if let text = self[keyPath: path] { self[keyPath: path] = cut(text, &isCut) } }
    }
}

extension ShownRecord {
    /// The columns of `records`, by name.
    package static let form = Form<ShownRecord>.object(
        "LogRecord", .init("id", .integer, \.record.id), .init("uid", .text, \.record.row.uid),
        .init("time", .nanoseconds, \.record.row.time), .init("kind", .word.named("Kind"), \.record.row.kind),
        .init(
            "level", .number, about: "OpenTelemetry's severity number, 0 where the sender gave none.",
            \.record.row.level),
        .init("tag", .text, \.record.row.tag), .init("message", .optional(.text), \.record.row.message),
        .init("module", .optional(.text), \.record.row.module),
        .init(
            "attributes", .json, about: "An object; a string where what is stored is no JSON.",
            \.record.row.attributes), .init("context", .json, \.record.row.context),
        .init("session", .optional(.text), \.record.row.session),
        .init("installation", .optional(.text), \.record.row.installation),
        .init("trace_id", .optional(.text), \.record.row.traceID),
        .init("span_id", .optional(.text), \.record.row.spanID),
        .init("parent_span_id", .optional(.text), \.record.row.parentSpanID),
        .init("duration", .optional(.nanoseconds), \.record.row.duration),
        .init("file", .optional(.text), \.record.row.file), .init("function", .optional(.text), \.record.row.function),
        .init("line", .optional(.number), \.record.row.line),
        .init("violations", .list(ShownViolation.form), \.violations),
        .init("implausible", .bool, about: "Whether no clock that was set can have said its time.", \.isImplausible),
        .init("masked", .bool, about: "Whether values are masked here that `private=show` shows.", \.isMasked),
        .init("cut", .bool, about: "Whether long values are cut here that the record itself has.", \.isCut)
    ) {
        id, uid, time, kind, level, tag, message, module, attributes, context, session, installation, traceID, spanID,
        parentSpanID, duration, file, function, line, violations, isImplausible, isMasked, isCut in
        var row = RecordRow(
            uid: uid, time: time, kind: kind, level: level, tag: tag, attributes: attributes, context: context)
        (row.message, row.module, row.session, row.installation) = (message, module, session, installation)
        (row.traceID, row.spanID, row.parentSpanID) = (traceID, spanID, parentSpanID)
        (row.file, row.function, row.duration, row.line) = (file, function, duration, line)
        return ShownRecord(
            record: StoredRecord(id: id, row: row), violations: violations, isImplausible: isImplausible,
            isMasked: isMasked, isCut: isCut)
    }
}

package struct ShownViolation: Sendable, Hashable {
    package var kind: String
    package var column: String?
    package var message: String
    package var expected: String?
    package var found: String?

    package static let form = Form<ShownViolation>.object(
        "Violation", .init("kind", .text, \.kind), .init("column", .optional(.text), \.column),
        .init("message", .text, \.message), .init("expected", .optional(.text), \.expected),
        .init("found", .optional(.text), \.found), make: ShownViolation.init(kind:column:message:expected:found:))
}

extension ShownViolation {
    init(_ violation: Violation) {
        (kind, column) = (violation.kind.rawValue, violation.column?.boundedName)
        message = violation.message.shortened(to: RecordBounds.listed.text)
        (expected, found) = (violation.expected?.boundedName, violation.found?.boundedName)
    }
}

extension RecordsAnswer<ShownRecord> {
    package static let shown = form("RecordPage", of: ShownRecord.form)
}

package struct RecordAnswer: Sendable {
    package var record: ShownRecord
    /// Whether it is an event without a definition.
    package var isUndefined: Bool
    package var nearest: String?

    package static let form = Form<RecordAnswer>.object(
        "RecordAnswer", .init("record", ShownRecord.form, \.record), .init("undefined", .bool, \.isUndefined),
        .init("nearest", .optional(.text), \.nearest), make: RecordAnswer.init)
}
