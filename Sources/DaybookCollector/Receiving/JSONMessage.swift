import DaybookBase

/// A JSON object read as a protobuf message: names in camelCase, 64-bit integers as text or numbers, identifiers in
/// hexadecimal, enums as numbers, unknown names passed over. Absent and `null` are the default value.
///
/// Source: OTLP Specification, *JSON Protobuf Encoding*.
struct JSONMessage {
    private let object: Attributes

    init(_ value: Value) throws(OTLPError) {
        guard case .object(let object) = value else { throw OTLPError("An object is expected.") }
        self.object = object
    }

    /// Decodes a whole document.
    static func document(_ bytes: [UInt8]) throws(OTLPError) -> JSONMessage {
        do throws(JSONError) {
            return try JSONMessage.checked(try JSONReader.value(of: bytes)).get()
        } catch {
            throw OTLPError(error.description, isLimit: error.isLimit && error.reason == "too many values")
        }
    }

    private static func checked(_ value: Value) -> Result<JSONMessage, JSONError> {
        guard case .object(let object) = value else {
            return .failure(JSONError("the document is not an object", 0))
        }
        return .success(JSONMessage(object: object))
    }

    private init(object: Attributes) { self.object = object }

    private func member(_ key: String) -> Value? {
        guard let value = object[key], value != .null else { return nil }
        return value
    }

    func string(_ key: String) throws(OTLPError) -> String {
        switch member(key) {
        case nil: return ""
        case .string(let text): return text
        default: throw OTLPError("A text is expected.", path: key)
        }
    }

    func unsigned(_ key: String) throws(OTLPError) -> UInt64 {
        switch member(key) {
        case nil: return 0
        case .int(let integer) where integer >= 0: return UInt64(integer)
        case .string(let text):
            if let integer = UInt64(text) { return integer }
        case .double(let double):
            if let integer = UInt64(exactly: double) { return integer }
        default: break
        }
        throw OTLPError("A whole number from 0 is expected, or its text.", path: key)
    }

    func int32(_ key: String) throws(OTLPError) -> Int32 {
        switch member(key) {
        case nil: return 0
        case .int(let integer):
            if let small = Int32(exactly: integer) { return small }
        // OTLP wants the number; the name that protobuf's own JSON mapping writes is taken as unspecified.
        case .string(let text): return Int32(text) ?? 0
        case .double(let double):
            if let small = Int32(exactly: double) { return small }
        default: break
        }
        throw OTLPError("A whole number of 32 bits is expected.", path: key)
    }

    func identifier(_ key: String, count: Int) throws(OTLPError) -> String? {
        HexadecimalID.text(try string(key), count: count)
    }

    /// Reads the member as a message of its own; `nil` where it is absent.
    func message<Result>(
        _ key: String, _ read: (JSONMessage) throws(OTLPError) -> Result
    ) throws(OTLPError) -> Result? {
        guard let value = member(key) else { return nil }
        do throws(OTLPError) {
            return try read(try JSONMessage(value))
        } catch {
            throw error.within(key)
        }
    }

    /// Reads each element of an array member.
    func messages<Result>(
        _ key: String, _ read: (JSONMessage) throws(OTLPError) -> Result
    ) throws(OTLPError) -> [Result] {
        guard let value = member(key) else { return [] }
        guard case .array(let elements) = value else { throw OTLPError("An array is expected.", path: key) }
        var results: [Result] = []
        results.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do throws(OTLPError) {
                results.append(try read(try JSONMessage(element)))
            } catch {
                throw error.within("\(key)[\(index)]")
            }
        }
        return results
    }

    func attributes(_ key: String) throws(OTLPError) -> Attributes {
        let elements = try messages(key) { pair throws(OTLPError) in
            Attributes.Element(
                try pair.string("key"),
                try pair.message("value") { value throws(OTLPError) in try value.anyValue() } ?? .null)
        }
        var attributes = Attributes()
        attributes.elements = elements
        return attributes
    }

    /// `AnyValue`. The document's depth is capped, and so is this recursion.
    func anyValue() throws(OTLPError) -> Value {
        for element in object.elements where element.value != .null {
            switch element.key {
            case "stringValue": return .string(try string("stringValue"))
            case "boolValue":
                guard case .bool = element.value else {
                    throw OTLPError("true or false is expected.", path: element.key)
                }
                return element.value
            case "intValue": return .int(try signed(element))
            case "doubleValue": return .double(try double(element))
            case "bytesValue":
                guard let bytes = Base64.decode(try string("bytesValue")) else {
                    throw OTLPError("Base64 is expected.", path: element.key)
                }
                return .bytes(bytes)
            case "arrayValue":
                let values = try message("arrayValue") { array throws(OTLPError) in
                    try array.messages("values") { value throws(OTLPError) in try value.anyValue() }
                }
                return .array(values ?? [])
            case "kvlistValue":
                let list = try message("kvlistValue") { list throws(OTLPError) in try list.attributes("values") }
                return .object(list ?? Attributes())
            default: continue
            }
        }
        return .null
    }

    private func signed(_ element: Attributes.Element) throws(OTLPError) -> Int64 {
        switch element.value {
        case .int(let integer): return integer
        case .string(let text):
            if let integer = Int64(text) { return integer }
        case .double(let double):
            if let integer = Int64(exactly: double) { return integer }
        default: break
        }
        throw OTLPError("A whole number of 64 bits is expected, or its text.", path: element.key)
    }

    private func double(_ element: Attributes.Element) throws(OTLPError) -> Double {
        switch element.value {
        case .double(let double): return double
        case .int(let integer): return Double(integer)
        case .string("NaN"): return .nan
        case .string("Infinity"): return .infinity
        case .string("-Infinity"): return -.infinity
        case .string(let text):
            if let double = Double(text) { return double }
        default: break
        }
        throw OTLPError("A number is expected, or its text.", path: element.key)
    }
}

extension ExportLogsRequest {
    /// Decodes a request from JSON.
    /// - Throws: ``OTLPError`` that tells the byte, or the member, at fault.
    package init(json bytes: [UInt8]) throws(OTLPError) {
        var budget = DecodingBudget()
        resources = try JSONMessage.document(bytes).messages("resourceLogs") { message throws(OTLPError) in
            try budget.takeRecord()
            return ResourceLogs(
                resource: try message.resource(),
                scopes: try message.messages("scopeLogs") { scope throws(OTLPError) in
                    try budget.takeRecord()
                    return ScopeLogs(
                        scope: try scope.scope(),
                        records: try scope.messages("logRecords") { record throws(OTLPError) in
                            try budget.takeRecord()
                            return try record.logRecord()
                        })
                })
        }
    }
}

extension ExportTraceRequest {
    /// Decodes a request from JSON.
    /// - Throws: ``OTLPError`` that tells the byte, or the member, at fault.
    package init(json bytes: [UInt8]) throws(OTLPError) {
        var budget = DecodingBudget()
        resources = try JSONMessage.document(bytes).messages("resourceSpans") { message throws(OTLPError) in
            try budget.takeRecord()
            return ResourceSpans(
                resource: try message.resource(),
                scopes: try message.messages("scopeSpans") { scope throws(OTLPError) in
                    try budget.takeRecord()
                    return ScopeSpans(
                        scope: try scope.scope(),
                        spans: try scope.messages("spans") { span throws(OTLPError) in
                            try budget.takeRecord()
                            return try span.span()
                        })
                })
        }
    }
}

extension JSONMessage {
    fileprivate func resource() throws(OTLPError) -> Attributes {
        try message("resource") { resource throws(OTLPError) in try resource.attributes("attributes") } ?? Attributes()
    }

    fileprivate func scope() throws(OTLPError) -> InstrumentationScope {
        let scope = try message("scope") { scope throws(OTLPError) in
            InstrumentationScope(
                name: try scope.string("name"), version: try scope.string("version"),
                attributes: try scope.attributes("attributes"))
        }
        return scope ?? InstrumentationScope()
    }

    fileprivate func logRecord() throws(OTLPError) -> LogRecord {
        var record = LogRecord()
        record.time = try unsigned("timeUnixNano")
        record.observedTime = try unsigned("observedTimeUnixNano")
        record.severityNumber = try int32("severityNumber")
        record.severityText = try string("severityText")
        record.body = try message("body") { body throws(OTLPError) in try body.anyValue() }
        record.attributes = try attributes("attributes")
        record.droppedAttributes = UInt32(clamping: try unsigned("droppedAttributesCount"))
        record.traceID = try identifier("traceId", count: 16)
        record.spanID = try identifier("spanId", count: 8)
        record.eventName = try string("eventName")
        return record
    }

    fileprivate func span() throws(OTLPError) -> Span {
        var span = Span()
        span.traceID = try identifier("traceId", count: 16)
        span.spanID = try identifier("spanId", count: 8)
        span.parentSpanID = try identifier("parentSpanId", count: 8)
        span.traceState = try string("traceState")
        span.name = try string("name")
        span.kind = try int32("kind")
        span.start = try unsigned("startTimeUnixNano")
        span.end = try unsigned("endTimeUnixNano")
        span.attributes = try attributes("attributes")
        span.droppedAttributes = UInt32(clamping: try unsigned("droppedAttributesCount"))
        span.events = try messages("events") { message throws(OTLPError) in
            var event = Span.Event()
            event.time = try message.unsigned("timeUnixNano")
            event.name = try message.string("name")
            event.attributes = try message.attributes("attributes")
            return event
        }
        span.links = try messages("links") { message throws(OTLPError) in
            var link = Span.Link()
            link.traceID = try message.identifier("traceId", count: 16)
            link.spanID = try message.identifier("spanId", count: 8)
            link.attributes = try message.attributes("attributes")
            return link
        }
        let status = try message("status") { message throws(OTLPError) in
            (code: try message.int32("code"), text: try message.string("message"))
        }
        span.status = Span.Status(rawValue: status?.code ?? 0) ?? .unset
        span.statusMessage = status?.text ?? ""
        return span
    }
}
