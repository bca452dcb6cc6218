import DaybookBase
import DaybookOTLP
import DaybookTools

/// Takes the records of a request one after another, as they are read.
package protocol RecordSink<Record> {
    /// ``WireLogRecord`` or ``WireSpan``.
    associatedtype Record: WireRecord

    /// The scopes that follow are of this resource.
    /// - Parameter beside: what it says beside its attributes, under names of ours: ``WireScope``.
    mutating func begin(resource: Attributes, beside: Attributes)
    /// The records that follow are of this scope.
    /// - Parameter count: how many follow, if the request can be read to its end.
    mutating func begin(scope: InstrumentationScope, count: Int)
    /// Takes a record. What it borrows is valid during the call only.
    /// - Throws: ``OTLPError`` where the request is to be refused.
    mutating func take(_ record: Record) throws(OTLPError)
}

/// The part of a program that made records: a logger's or a library's name.
package struct InstrumentationScope: Sendable, Hashable {
    package var name: String
    package var version: String
    package var attributes: Attributes
    /// What it says beside its attributes, under names of ours: ``WireScope``.
    package internal(set) var beside = Attributes()

    package init(name: String = "", version: String = "", attributes: Attributes = Attributes()) {
        self.name = name
        self.version = version
        self.attributes = attributes
    }
}

/// A log record or a span as it is in a request's bytes. Its memory serves one record after another.
package protocol WireRecord {
    /// The requests that hold such records.
    static var signal: OTLPSignal { get }

    /// An empty record.
    init()
    /// Forgets the record before, and reads one from protobuf.
    mutating func read(_ message: ProtobufReader, with decoder: inout ProtobufDecoder) throws
    /// Forgets the record before, and reads one from JSON.
    mutating func read(_ message: inout JSONMessage) throws(OTLPError)
    /// Whether what was read from protobuf may be a record of another signal, though each field fits.
    var isDoubtful: Bool { get }
}

/// One log record as it is in a request's bytes. Times are nanoseconds since 1970, 0 where the sender gave none.
package struct WireLogRecord: WireRecord {
    /// The fields of fixed size, apart from the attributes, so that the next record starts with one assignment.
    struct Fields: BitwiseCopyable {
        var time: Int64 = 0
        var observedTime: Int64 = 0
        var severityNumber: Int32 = 0
        var droppedAttributes: UInt32 = 0
        var flags: UInt32 = 0
        var severityText = WireText()
        /// What SDKs called the event before OTLP 0.19.
        var name = WireText()
        var eventName = WireText()
        var traceID = WireText()
        var spanID = WireText()
        var body: WireValue?
    }

    package static var signal: OTLPSignal { .logs }
    /// The severities that have a meaning: none to fatal.
    static let severities: ClosedRange<Int32> = 0...24

    var fields = Fields()
    package internal(set) var attributes = WireAttributes()

    package init() {}

    package var time: UInt64 { UInt64(bitPattern: fields.time) }
    package var observedTime: UInt64 { UInt64(bitPattern: fields.observedTime) }
    /// 1–24, 0 for none; senders may say anything.
    package var severityNumber: Int32 { fields.severityNumber }
    package var droppedAttributes: UInt32 { fields.droppedAttributes }
    package var severityText: WireText { fields.severityText }
    package var eventName: WireText { fields.eventName }
    package var body: WireValue? { fields.body }
    /// 32 lowercase hexadecimal digits, `nil` where absent, malformed or all zero.
    package var traceID: String? { WireIdentifier.trace.text(fields.traceID.bytes) }
    /// 16 lowercase hexadecimal digits, `nil` where absent, malformed or all zero.
    package var spanID: String? { WireIdentifier.span.text(fields.spanID.bytes) }

    /// Whether the severity is but a text, and one that has no number.
    var isSeverityUnknown: Bool {
        !severityText.isEmpty && !(1...24).contains(severityNumber) && Severity.number(of: severityText.string) == nil
    }

    /// No other signal's records have its fields in its layout.
    package var isDoubtful: Bool { false }

    mutating func clear() {
        fields = Fields()
        attributes.clear()
    }
}

/// One span as it is in a request's bytes. Times are nanoseconds since 1970, 0 where the sender gave none.
package struct WireSpan: WireRecord {
    /// Something that happened during the span.
    package struct Event: Sendable, Hashable {
        package var time: UInt64 = 0
        package var name = ""
        package var attributes = Attributes()
        package var droppedAttributes: UInt32 = 0

        package init() {}
    }

    /// Another span that this one has to do with.
    package struct Link: Sendable, Hashable {
        package var traceID: String?
        package var spanID: String?
        package var traceState = ""
        package var flags: UInt32 = 0
        package var attributes = Attributes()
        package var droppedAttributes: UInt32 = 0

        package init() {}
    }

    /// How the operation ended.
    package enum Status: Int32, Sendable, Hashable, BitwiseCopyable {
        case unset = 0
        case ok = 1
        case error = 2
    }

    /// The fields of fixed size, apart from the rest, so that the next span starts with one assignment.
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
        /// Of ``Status``, or anything.
        var status: Int32 = 0
        /// What SDKs before OTLP 0.7 sent.
        var deprecatedStatus: Int32 = 0
        var statusMessage = WireText()
    }

    package static var signal: OTLPSignal { .traces }
    /// The kinds that have a meaning: unspecified to consumer.
    static let kinds: ClosedRange<Int32> = 0...5

    var fields = Fields()
    package internal(set) var attributes = WireAttributes()
    /// Most spans have neither events nor links: they are decoded whole.
    package internal(set) var events: [Event] = []
    package internal(set) var links: [Link] = []

    package init() {}

    package var start: UInt64 { UInt64(bitPattern: fields.start) }
    package var end: UInt64 { UInt64(bitPattern: fields.end) }
    /// 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer; senders may say anything.
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

    /// A metric begins with its name, where a span has its trace's identifier; the body and the severity of a log record
    /// stand where a span's name and state do.
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
