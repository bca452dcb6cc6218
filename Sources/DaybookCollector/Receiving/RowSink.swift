import DaybookBase
import DaybookOTLP
import DaybookStore
import DaybookTools

/// Makes the rows of a request's records, and of these the batches that are stored. The rules are in docs/formats/otlp.md.
struct RowSink<Record: RowRecord>: RecordSink {
    private let now: Int64
    private var assembly = BatchAssembly(Record.signal)
    private var making = RowMaking()
    private var size: StoredSize
    /// The context of the row before, and its digest.
    private var context = (text: "", digest: "")

    /// - Parameter size: bytes of the request.
    private init(now: Int64, size: Int) {
        self.now = now
        self.size = StoredSize(ofRequest: size)
    }

    /// The batches of a request in protobuf, ready to be stored.
    /// - Parameters:
    ///   - now: the time of records without one, in nanoseconds since 1970.
    ///   - unread: counts what is not known.
    static func batches(
        ofProtobuf body: [UInt8], now: Int64, _ unread: inout Unread
    ) throws(OTLPError) -> [RecordBatch] {
        var sink = RowSink(now: now, size: body.count)
        unread.add(try OTLPRequest.read(protobuf: body, into: &sink))
        return sink.assembly.finish()
    }

    /// The batches of a request in JSON, as those of one in protobuf.
    static func batches(ofJSON body: [UInt8], now: Int64, _ unread: inout Unread) throws(OTLPError) -> [RecordBatch] {
        var sink = RowSink(now: now, size: body.count)
        unread.add(try OTLPRequest.read(json: body, into: &sink))
        return sink.assembly.finish()
    }

    mutating func begin(resource: Attributes) { assembly.begin(resource: resource.storable) }

    mutating func begin(scope: InstrumentationScope, count: Int) {
        assembly.begin(scope: scope.storable, count: count)
        making.begin(assembly.scope)
    }

    mutating func take(_ record: Record) throws(OTLPError) {
        let sorted = making.sort(record.attributes, details: record.details + record.attributes.kept)
        let name = record.name(sorted)
        let sentTime = record.sentTime
        var row = RecordRow(
            uid: sorted.uid?.string ?? "", time: sentTime != 0 ? SentTime.nanoseconds(sentTime) : now,
            kind: sorted.kind ?? record.kind(sorted), level: sorted.severity ?? record.level(sorted),
            tag: (sorted.tag ?? name).map { making.text($0) } ?? assembly.scope.tag)
        making.fill(&row, with: sorted, of: assembly.scope)
        record.complete(&row, with: &making)
        if sorted.uid == nil {
            if row.context != context.text {
                context = (row.context, Digest.text(of: Array(row.context.utf8), seed: 0))
            }
            row.uid = RecordRow.digest(
                of: row, context: context.digest, sentTime: sentTime, position: assembly.position)
        }
        try size.add(row)
        assembly.add(row, isIdentified: sorted.uid != nil, hasTime: sentTime != 0)
    }
}

/// What the rows of a request take in a store, which is bounded by the size of the request itself.
///
/// A request says once what its records share, and each row has it: the name of the scope, the installation, the context.
/// Without a bound some bytes of gzip would become gigabytes. Stores keep a context once, so one that comes again and
/// again counts once.
struct StoredSize {
    /// A row may take so many times what its record takes in the request: escapes of JSON take six.
    static let factor = 16
    /// So much is allowed beside: small requests of many scopes repeat what their resource says.
    static let allowance = 1 << 20

    private let limit: Int
    private var bytes = 0
    private var context = ""

    /// - Parameter size: bytes of the request after inflating.
    init(ofRequest size: Int) { limit = Self.factor * size + Self.allowance }

    /// Counts a row.
    /// - Throws: ``OTLPError``, a limit, where the rows so far take more than their request may.
    mutating func add(_ row: RecordRow) throws(OTLPError) {
        bytes += row.ownBytes
        if row.context != context {
            context = row.context
            bytes += context.utf8.count
        }
        guard bytes > limit else { return }
        throw OTLPError(
            "The records would take more than \(limit) bytes in the store, \(Self.factor) times what they take in the request: "
                + "what they share is too large. Send fewer records at once, or less in the resource and the scope.",
            isLimit: true)
    }
}

/// What is particular to the rows of logs and of spans.
protocol RowRecord: WireRecord {
    var attributes: WireAttributes { get }
    /// What the record has and a row has no column for, as attributes.
    var details: [Attributes.Element] { get }
    /// As the sender counted it, 0 where it gave none.
    var sentTime: UInt64 { get }

    /// The severity number of a record whose attributes tell none.
    func level(_ sorted: RecordAttributes) -> Int
    /// The tag of a record whose attributes tell none; `nil` for the scope's.
    func name(_ sorted: RecordAttributes) -> WireText?
    /// The kind of a record whose attributes tell none.
    func kind(_ sorted: RecordAttributes) -> Kind
    /// Gives the row what only such a record has: its message and identifiers.
    func complete(_ row: inout RecordRow, with making: inout RowMaking)
}

/// Times as senders count them.
enum SentTime {
    /// Seconds until 2008. Numbers below are no time of an app in any unit, and stay what they are.
    private static let least: UInt64 = 1_200_000_000

    /// Nanoseconds since 1970 of a time that some senders count in seconds, milliseconds or microseconds.
    static func nanoseconds(_ number: UInt64) -> Int64 {
        let clamped = Int64(clamping: number)
        return number < least ? clamped : ReadTime.nanoseconds(of: clamped) ?? clamped
    }
}

extension WireLogRecord: RowRecord {
    /// What severities are called that have nothing to tell beside their number.
    private static let levelNames = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"]

    private var hasSeverityNumber: Bool { (1...24).contains(severityNumber) }

    /// A severity that no column can hold is kept as it came.
    var details: [Attributes.Element] {
        var details: [Attributes.Element] = []
        func add(_ key: String, _ value: Value) { details.append(.init(key, value)) }
        if droppedAttributes > 0 { add("otel.dropped_attributes_count", .int(Int64(droppedAttributes))) }
        if severityNumber != 0, !hasSeverityNumber { add("otel.severity_number", .int(Int64(severityNumber))) }
        let isPlain =
            severityText.isEmpty
            || hasSeverityNumber && severityText.isEqual(to: Self.levelNames[(Int(severityNumber) - 1) / 4])
        if !isPlain, Severity.number(of: severityText.string) == nil {
            add("otel.severity_text", .string(severityText.string))
        }
        return details
    }

    var sentTime: UInt64 { time != 0 ? time : observedTime }

    /// The severity number; where there is none, that of a known severity text; and an exception without either is an
    /// error, a crash fatal.
    func level(_ sorted: RecordAttributes) -> Int {
        if hasSeverityNumber { return Int(severityNumber) }
        if !severityText.isEmpty, let number = Severity.number(of: severityText.string), number > 0 { return number }
        return ImpliedLevel.number(
            event: name(sorted)?.string, isFailure: sorted.isException || sorted.kind == .error) ?? 0
    }

    func name(_ sorted: RecordAttributes) -> WireText? { eventName.isEmpty ? sorted.eventName : eventName }

    func kind(_ sorted: RecordAttributes) -> Kind {
        name(sorted) != nil ? .event : sorted.isException ? .error : .message
    }

    func complete(_ row: inout RecordRow, with making: inout RowMaking) {
        row.message =
            switch body {
            case nil, .null?: nil
            case .string(let text)?: text.string
            case let value?: JSONWriter.text(attributes.value(value))
            }
        row.traceID = traceID
        row.spanID = spanID
    }
}

extension WireSpan: RowRecord {
    /// Under the names that OpenTelemetry gives them in systems without.
    var details: [Attributes.Element] {
        var details: [Attributes.Element] = []
        func add(_ key: String, _ value: Value) { details.append(.init(key, value)) }
        let kinds = ["internal", "server", "client", "producer", "consumer"]
        if kinds.indices.contains(Int(kind) - 1), kind != 1 { add("span.kind", .string(kinds[Int(kind) - 1])) }
        if status != .unset { add("otel.status_code", status == .ok ? "OK" : "ERROR") }
        if !statusMessage.isEmpty { add("otel.status_description", .string(statusMessage.string)) }
        if !traceState.isEmpty { add("otel.trace_state", .string(traceState.string)) }
        if droppedAttributes > 0 { add("otel.dropped_attributes_count", .int(Int64(droppedAttributes))) }
        if !events.isEmpty { add("otel.events", .array(events.map(\.value.storable))) }
        if !links.isEmpty { add("otel.links", .array(links.map(\.value.storable))) }
        return details
    }

    var sentTime: UInt64 { start }

    /// An exception is a failure, unless the span says that it succeeded.
    func level(_ sorted: RecordAttributes) -> Int {
        let hasException = sorted.isException || events.contains { $0.isException }
        return Int((status == .error || status == .unset && hasException ? Level.error : Level.info).rawValue)
    }

    func name(_ sorted: RecordAttributes) -> WireText? { name.isEmpty ? nil : name }

    func kind(_ sorted: RecordAttributes) -> Kind { sorted.isRequest ? .request : .span }

    func complete(_ row: inout RecordRow, with making: inout RowMaking) {
        row.message = name.isEmpty ? nil : making.text(name)
        row.traceID = traceID
        row.spanID = spanID
        row.parentSpanID = parentSpanID
        let (start, end) = (SentTime.nanoseconds(start), SentTime.nanoseconds(end))
        row.duration = start != 0 && end >= start ? end - start : nil
    }
}

extension WireSpan.Event {
    fileprivate var isException: Bool {
        name == "exception" || attributes.elements.contains { ImpliedLevel.exceptionNames.contains($0.key) }
    }

    fileprivate var value: Value {
        [
            "name": .string(name),
            "time": .string(Timestamp(nanoseconds: SentTime.nanoseconds(time)).rfc3339(fractionDigits: 9)),
            "attributes": .object(attributes),
        ]
    }
}

extension WireSpan.Link {
    fileprivate var value: Value {
        [
            "trace_id": traceID.map { .string($0) } ?? .null,
            "span_id": spanID.map { .string($0) } ?? .null,
            "attributes": .object(attributes),
        ]
    }
}

extension InstrumentationScope {
    /// The scope with storable texts.
    fileprivate var storable: InstrumentationScope {
        InstrumentationScope(name: name.storable, version: version.storable, attributes: attributes.storable)
    }
}
