import DaybookBase

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

/// One span as it is in a request's bytes; its fields are those of ``Span``.
package struct WireSpan {
    /// The fields of fixed size, apart from the rest, so that the next span starts with one assignment.
    struct Fields: BitwiseCopyable {
        var start: UInt64 = 0
        var end: UInt64 = 0
        var kind: Int32 = 0
        var droppedAttributes: UInt32 = 0
        var traceID = WireText()
        var spanID = WireText()
        var parentSpanID = WireText()
        var traceState = WireText()
        var name = WireText()
        var status = Span.Status.unset
        var statusMessage = WireText()
    }

    var fields = Fields()
    package var attributes = WireAttributes()
    /// Most spans have neither events nor links: they are decoded whole.
    package var events: [Span.Event] = []
    package var links: [Span.Link] = []

    init() {}

    package var start: UInt64 { fields.start }
    package var end: UInt64 { fields.end }
    package var kind: Int32 { fields.kind }
    package var droppedAttributes: UInt32 { fields.droppedAttributes }
    package var traceState: WireText { fields.traceState }
    package var name: WireText { fields.name }
    package var status: Span.Status { fields.status }
    package var statusMessage: WireText { fields.statusMessage }
    /// Identifiers as in ``WireLogRecord``.
    package var traceID: String? { HexadecimalID.text(fields.traceID.bytes, count: 16) }
    package var spanID: String? { HexadecimalID.text(fields.spanID.bytes, count: 8) }
    package var parentSpanID: String? { HexadecimalID.text(fields.parentSpanID.bytes, count: 8) }

    mutating func clear() {
        fields = Fields()
        attributes.clear()
        if !events.isEmpty { events.removeAll() }
        if !links.isEmpty { links.removeAll() }
    }
}

extension Span {
    /// The span, copied.
    init(_ span: WireSpan) {
        self.init()
        traceID = span.traceID
        spanID = span.spanID
        parentSpanID = span.parentSpanID
        traceState = span.traceState.string
        name = span.name.string
        kind = span.kind
        start = span.start
        end = span.end
        attributes = span.attributes.copy
        droppedAttributes = span.droppedAttributes
        events = span.events
        links = span.links
        status = span.status
        statusMessage = span.statusMessage.string
    }
}
