import Daybook

/// One log record as it is in a request's bytes; its fields are those of ``LogRecord``.
package struct WireLogRecord {
    /// The fields of fixed size, apart from the attributes, so that the next record starts with one assignment.
    struct Fields: BitwiseCopyable {
        var time: UInt64 = 0
        var observedTime: UInt64 = 0
        var severityNumber: Int32 = 0
        var droppedAttributes: UInt32 = 0
        var severityText = WireText()
        var eventName = WireText()
        var traceID = WireText()
        var spanID = WireText()
        var body: WireValue?
    }

    var fields = Fields()
    package var attributes = WireAttributes()

    init() {}

    package var time: UInt64 { fields.time }
    package var observedTime: UInt64 { fields.observedTime }
    package var severityNumber: Int32 { fields.severityNumber }
    package var droppedAttributes: UInt32 { fields.droppedAttributes }
    package var severityText: WireText { fields.severityText }
    package var eventName: WireText { fields.eventName }
    package var body: WireValue? { fields.body }
    /// 32 lowercase hexadecimal digits, `nil` where absent, malformed or all zero.
    package var traceID: String? { HexadecimalID.text(fields.traceID.bytes, count: 16) }
    /// 16 lowercase hexadecimal digits, `nil` where absent, malformed or all zero.
    package var spanID: String? { HexadecimalID.text(fields.spanID.bytes, count: 8) }

    mutating func clear() {
        fields = Fields()
        attributes.clear()
    }
}

extension LogRecord {
    /// The record, copied.
    init(_ record: WireLogRecord) {
        self.init()
        time = record.time
        observedTime = record.observedTime
        severityNumber = record.severityNumber
        severityText = record.severityText.string
        body = record.body.map { record.attributes.value($0) }
        attributes = record.attributes.copy
        droppedAttributes = record.droppedAttributes
        traceID = record.traceID
        spanID = record.spanID
        eventName = record.eventName.string
    }
}
