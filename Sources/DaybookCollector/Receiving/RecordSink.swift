import DaybookBase
import DaybookOTLP
import DaybookTools

/// Receives a request's records one by one.
package protocol RecordSink<Record> {
    /// ``WireLogRecord`` or ``WireSpan``.
    associatedtype Record: WireRecord

    /// Starts a resource; the following scopes belong to it.
    /// - Parameter beside: what it carries outside its attributes, under our names: ``WireScope``.
    mutating func begin(resource: Attributes, beside: Attributes)
    /// Starts a scope; the following records belong to it.
    /// - Parameter count: the records to come if the request is valid to its end.
    mutating func begin(scope: InstrumentationScope, count: Int)
    /// Takes a record, which borrows memory valid only during the call.
    /// - Throws: ``OTLPError`` to refuse the request.
    mutating func take(_ record: Record) throws(OTLPError)
}

/// The source of records within a program: a logger or library.
package struct InstrumentationScope: Sendable, Hashable {
    package var name: String
    package var version: String
    package var attributes: Attributes
    /// What it carries outside its attributes, under our names: ``WireScope``.
    package internal(set) var beside = Attributes()

    package init(name: String = "", version: String = "", attributes: Attributes = Attributes()) {
        self.name = name
        self.version = version
        self.attributes = attributes
    }
}

/// A log record or span that borrows a request's bytes. Its memory is reused for the next record.
package protocol WireRecord {
    static var signal: OTLPSignal { get }

    init()
    mutating func read(_ message: ProtobufReader, with decoder: inout ProtobufDecoder) throws
    mutating func read(_ message: inout JSONMessage) throws(OTLPError)
    /// Whether a record read from protobuf may be of another signal, although all its fields fit.
    var isDoubtful: Bool { get }
}

/// A log record that borrows a request's bytes. Times are nanoseconds since 1970, 0 if absent.
package struct WireLogRecord: WireRecord {
    /// The fixed-size fields, reset for the next record with one assignment.
    struct Fields: BitwiseCopyable {
        var time: Int64 = 0
        var observedTime: Int64 = 0
        var severityNumber: Int32 = 0
        var droppedAttributes: UInt32 = 0
        var flags: UInt32 = 0
        var severityText = WireText()
        /// The event name of SDKs before OTLP 0.19.
        var name = WireText()
        var eventName = WireText()
        var traceID = WireText()
        var spanID = WireText()
        var body: WireValue?
    }

    package static var signal: OTLPSignal { .logs }
    /// Valid severities: none to fatal.
    static let severities: ClosedRange<Int32> = 0...24

    var fields = Fields()
    package internal(set) var attributes = WireAttributes()

    package init() {}

    package var time: UInt64 { UInt64(bitPattern: fields.time) }
    package var observedTime: UInt64 { UInt64(bitPattern: fields.observedTime) }
    /// 1–24, 0 for none; unvalidated.
    package var severityNumber: Int32 { fields.severityNumber }
    package var droppedAttributes: UInt32 { fields.droppedAttributes }
    package var severityText: WireText { fields.severityText }
    package var eventName: WireText { fields.eventName }
    package var body: WireValue? { fields.body }
    /// 32 lowercase hexadecimal digits; `nil` if absent, malformed or all zeros.
    package var traceID: String? { WireIdentifier.trace.text(fields.traceID.bytes) }
    /// 16 lowercase hexadecimal digits; `nil` if absent, malformed or all zeros.
    package var spanID: String? { WireIdentifier.span.text(fields.spanID.bytes) }

    /// Whether there is only a severity text, and it has no known number.
    var isSeverityUnknown: Bool {
        !severityText.isEmpty && !(1...24).contains(severityNumber) && Severity.number(of: severityText.string) == nil
    }

    /// No other signal's records match its layout.
    package var isDoubtful: Bool { false }

    mutating func clear() {
        fields = Fields()
        attributes.clear()
    }
}

/// A span that borrows a request's bytes. Times are nanoseconds since 1970, 0 if absent.
package struct WireSpan: WireRecord {
    package struct Event: Sendable, Hashable {
        package var time: UInt64 = 0
        package var name = ""
        package var attributes = Attributes()
        package var droppedAttributes: UInt32 = 0

        package init() {}
    }

    package struct Link: Sendable, Hashable {
        package var traceID: String?
        package var spanID: String?
        package var traceState = ""
        package var flags: UInt32 = 0
        package var attributes = Attributes()
        package var droppedAttributes: UInt32 = 0

        package init() {}
    }

    package enum Status: Int32, Sendable, Hashable, BitwiseCopyable {
        case unset = 0
        case ok = 1
        case error = 2
    }

    /// The fixed-size fields, reset for the next span with one assignment.
    struct Fields: BitwiseCopyable {
        var start: Int64 = 0
        var end: Int64 = 0
        var kind: Int32 = 0
        var flags: UInt32 = 0
        var droppedAttributes: UInt32 = 0
        var droppedEvents: UInt32 = 0
        var droppedLinks: UInt32 = 0
        var traceID = WireText()
        var spanID = WireText()
        var parentSpanID = WireText()
        var traceState = WireText()
        var name = WireText()
        /// A ``Status``; unvalidated.
        var status: Int32 = 0
        /// From SDKs before OTLP 0.7.
        var deprecatedStatus: Int32 = 0
        var statusMessage = WireText()
    }

    package static var signal: OTLPSignal { .traces }
    /// Valid kinds: unspecified to consumer.
    static let kinds: ClosedRange<Int32> = 0...5

    var fields = Fields()
    package internal(set) var attributes = WireAttributes()
    /// Decoded in full, since most spans have neither.
    package internal(set) var events: [Event] = []
    package internal(set) var links: [Link] = []

    package init() {}

    package var start: UInt64 { UInt64(bitPattern: fields.start) }
    package var end: UInt64 { UInt64(bitPattern: fields.end) }
    /// 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer; unvalidated.
    package var kind: Int32 { fields.kind }
    package var droppedAttributes: UInt32 { fields.droppedAttributes }
    package var traceState: WireText { fields.traceState }
    package var name: WireText { fields.name }
    package var status: Status { Status(rawValue: fields.status) ?? .unset }
    package var statusMessage: WireText { fields.statusMessage }
    /// Identifiers as in ``WireLogRecord``.
    package var traceID: String? { WireIdentifier.trace.text(fields.traceID.bytes) }
    package var spanID: String? { WireIdentifier.span.text(fields.spanID.bytes) }
    package var parentSpanID: String? { WireIdentifier.parentSpan.text(fields.parentSpanID.bytes) }

    /// A metric's name is where a span has its trace ID; a log record's body and severity are where a span has its name
    /// and state.
    package var isDoubtful: Bool {
        !attributes.kept.isEmpty
            || fields.traceID.isEmpty && fields.spanID.isEmpty && start == 0 && attributes.elements.isEmpty
                && events.isEmpty && links.isEmpty && !(name.isEmpty && traceState.isEmpty)
            || !fields.traceID.isEmpty && fields.traceID.bytes.allSatisfy { (0x20...0x7E).contains($0) }
    }

    mutating func clear() {
        fields = Fields()
        attributes.clear()
        if !events.isEmpty { events.removeAll() }
        if !links.isEmpty { links.removeAll() }
    }
}
