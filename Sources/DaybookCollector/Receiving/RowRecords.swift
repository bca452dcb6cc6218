import DaybookBase
import DaybookOTLP
import DaybookStore
import DaybookTools

// Fields without a column become attributes. Default values (0, an empty text, a sampled flag) are left out.

extension WireLogRecord: RowRecord {
    /// Severity texts that add nothing to the number.
    private static let levelNames = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"]
    /// The least delay of the observed time that is worth keeping, in nanoseconds: SDKs read their clock twice.
    private static let observationDelay: UInt64 = 1_000_000_000

    private var hasSeverityNumber: Bool { (1...24).contains(severityNumber) }

    var details: [Attributes.Element] {
        var details = RecordDetails()
        details.add("otel.dropped_attributes_count", droppedAttributes)
        if severityNumber != 0, !hasSeverityNumber { details.add("otel.severity_number", severityNumber) }
        if !isSeverityTold { details.add("otel.severity_text", severityText) }
        let (delay, isBeyond) = fields.observedTime.subtractingReportingOverflow(fields.time)
        let isDelayed = isBeyond || delay.magnitude >= Self.observationDelay
        if fields.time != 0, fields.observedTime != 0, isDelayed {
            details.add("otel.observed_time", time: fields.observedTime)
        }
        if fields.flags > 1 { details.add("otel.trace_flags", fields.flags) }
        details.add("otel.name", fields.name)
        return details.elements
    }

    /// Whether the severity text adds nothing to the number.
    private var isSeverityTold: Bool {
        if severityText.isEmpty { return true }
        guard hasSeverityNumber else { return Severity.number(of: severityText.string) != nil }
        return severityText.isEqual(to: Self.levelNames[(Int(severityNumber) - 1) / 4])
            || Severity.numbers(of: severityText.string)?.contains(Int(severityNumber)) == true
    }

    var sentTime: Int64? {
        if fields.time != 0 { return fields.time }
        return fields.observedTime != 0 ? fields.observedTime : nil
    }

    /// The severity number; else that of a known severity text; else what the record reveals about a failure.
    func level(_ sorted: RecordAttributes, isOwn: Bool) -> Int {
        if hasSeverityNumber { return Int(severityNumber) }
        if !severityText.isEmpty, let number = Severity.number(of: severityText.string), number > 0 { return number }
        var implied = sorted.implied
        if let name = name(sorted) { implied.add(event: name.string) }
        if sorted.kind == .error { implied.addFailure() }
        return implied.number ?? 0
    }

    func name(_ sorted: RecordAttributes) -> WireText? { eventName.isEmpty ? sorted.eventName : eventName }

    func replacedNames(_ sorted: RecordAttributes) -> [StaticString] {
        guard sorted.tag != nil || sorted.eventName != nil || sorted.severity != nil else { return [] }
        var names: [StaticString] = []
        if let tag = sorted.tag ?? name(sorted) {
            if !eventName.isEmpty, !eventName.isEqual(to: tag.bytes) { names.append("logRecord.eventName") }
            if let name = sorted.eventName, !name.isEqual(to: tag.bytes) { names.append("event.name") }
        }
        if let severity = sorted.severity, hasSeverityNumber, severity != Int(severityNumber) {
            names.append("logRecord.severityNumber")
        }
        return names
    }

    func kind(_ sorted: RecordAttributes) -> Kind {
        name(sorted) != nil ? .event : sorted.isException ? .error : .message
    }

    func complete(_ row: inout RecordRow, with builder: inout RowBuilder) {
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
    /// Named as OpenTelemetry maps them for systems without such fields.
    var details: [Attributes.Element] {
        var details = RecordDetails()
        let kinds = ["internal", "server", "client", "producer", "consumer"]
        if kinds.indices.contains(Int(kind) - 1) {
            if kind != 1 { details.add("span.kind", .string(kinds[Int(kind) - 1])) }
        } else if kind != 0 {
            details.add("otel.span_kind", kind)
        }
        if let status = Status(rawValue: fields.status) {
            if status != .unset { details.add("otel.status_code", status == .ok ? "OK" : "ERROR") }
        } else {
            details.add("otel.status_code", fields.status)
        }
        details.add("otel.status_deprecated_code", fields.deprecatedStatus)
        details.add("otel.status_description", statusMessage)
        details.add("otel.trace_state", traceState)
        if !fields.flags.isPlainTraceFlags { details.add("otel.trace_flags", fields.flags) }
        if fields.end != 0, duration == nil { details.add("otel.end_time", time: fields.end) }
        details.add("otel.dropped_attributes_count", droppedAttributes)
        details.add("otel.dropped_events_count", fields.droppedEvents)
        details.add("otel.dropped_links_count", fields.droppedLinks)
        if !events.isEmpty { details.add("otel.events", .array(events.map(\.value.storable))) }
        if !links.isEmpty { details.add("otel.links", .array(links.map(\.value.storable))) }
        return details.elements
    }

    var sentTime: Int64? { fields.start != 0 ? fields.start : nil }

    /// `nil` if the span has no start, or ends before it.
    private var duration: Int64? {
        guard fields.start != 0, fields.end >= fields.start else { return nil }
        let (duration, isBeyond) = fields.end.subtractingReportingOverflow(fields.start)
        return isBeyond ? nil : duration
    }

    /// What the span reveals about a failure, unless it reports success. A Daybook sender reports every level but info.
    func level(_ sorted: RecordAttributes, isOwn: Bool) -> Int {
        let info = Int(Level.info.rawValue)
        if status == .ok || isOwn && status == .unset { return info }
        var implied = sorted.implied
        if status == .error { implied.addFailure() }
        implied.add(event: name.string)
        for event in events {
            implied.add(event: event.name)
            implied.add(event.attributes)
        }
        return implied.number ?? info
    }

    func name(_ sorted: RecordAttributes) -> WireText? { name.isEmpty ? nil : name }

    func replacedNames(_ sorted: RecordAttributes) -> [StaticString] { [] }

    func kind(_ sorted: RecordAttributes) -> Kind { sorted.isRequest ? .request : .span }

    func complete(_ row: inout RecordRow, with builder: inout RowBuilder) {
        row.message = name.isEmpty ? nil : builder.text(name)
        row.traceID = traceID
        row.spanID = spanID
        row.parentSpanID = parentSpanID
        row.duration = duration
    }
}

/// Collects a record's fields outside its attributes.
private struct RecordDetails {
    private(set) var elements: [Attributes.Element] = []

    mutating func add(_ key: String, _ value: Value) { elements.append(.init(key, value)) }

    /// Unless it is 0.
    mutating func add(_ key: String, _ number: some FixedWidthInteger) {
        if number != 0 { add(key, .int(Int64(clamping: number))) }
    }

    /// Unless it is empty.
    mutating func add(_ key: String, _ text: WireText) { if !text.isEmpty { add(key, .string(text.string)) } }

    mutating func add(_ key: String, time: Int64) { add(key, .time(time)) }
}

extension WireSpan.Event {
    fileprivate var value: Value {
        var value: Attributes = ["name": .string(name)]
        if time != 0 { value["time"] = .time(Int64(bitPattern: time)) }
        value["attributes"] = .object(attributes)
        if droppedAttributes > 0 { value["dropped_attributes_count"] = .int(Int64(droppedAttributes)) }
        return .object(value)
    }
}

extension WireSpan.Link {
    fileprivate var value: Value {
        var value: Attributes = [
            "trace_id": Value(traceID), "span_id": Value(spanID),
            "attributes": .object(attributes),
        ]
        if !traceState.isEmpty { value["trace_state"] = .string(traceState) }
        if !flags.isPlainTraceFlags { value["trace_flags"] = .int(Int64(flags)) }
        if droppedAttributes > 0 { value["dropped_attributes_count"] = .int(Int64(droppedAttributes)) }
        return .object(value)
    }
}

extension UInt32 {
    /// Whether the flags only say that the span was sampled and its parent is local.
    fileprivate var isPlainTraceFlags: Bool { self & ~0x101 == 0 }
}

extension Value {
    fileprivate static func time(_ nanoseconds: Int64) -> Value {
        .string(Timestamp(nanoseconds: nanoseconds).rfc3339(fractionDigits: 9))
    }
}
