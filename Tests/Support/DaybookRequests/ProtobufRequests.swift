import DaybookBase
import DaybookCollector

/// Writes protobuf messages where speed does not matter. Omits default values; field numbers are 1 to 15.
///
/// The client's `ProtobufWriter` writes into fixed memory lent by the journal and must know a message's length before
/// its bytes. This one grows, and measures a nested message by writing it. Both write values with `AnyValue`.
private struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    static func message(_ write: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter()
        write(&writer)
        return writer.bytes
    }

    mutating func varint(_ number: UInt8, _ value: UInt64) {
        if value == 0 { return }
        bytes.append(number << 3)
        bytes.appendVarint(value)
    }

    mutating func fixed64(_ number: UInt8, _ value: UInt64) {
        if value == 0 { return }
        bytes.append(number << 3 | 1)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func string(_ number: UInt8, _ text: String) {
        if !text.isEmpty { bytes.appendField(number << 3 | 2, text.utf8) }
    }

    mutating func bytes(_ number: UInt8, _ value: [UInt8]) {
        if !value.isEmpty { bytes.appendField(number << 3 | 2, value) }
    }

    mutating func message(_ number: UInt8, _ write: (inout MessageWriter) -> Void) {
        bytes.appendField(number << 3 | 2, Self.message(write))
    }

    mutating func attributes(_ number: UInt8, _ attributes: Attributes) {
        for element in attributes.elements {
            bytes.append(contentsOf: AnyValue.keyValueField(number << 3 | 2, element.key, element.value))
        }
    }

    /// An `AnyValue`, written even if it is a default value.
    mutating func value(_ number: UInt8, _ value: Value) {
        bytes.append(contentsOf: AnyValue.field(number << 3 | 2, value))
    }
}

extension ExportLogsRequest {
    package func protobuf() -> [UInt8] {
        MessageWriter.message { request in
            for resource in resources {
                request.message(1) { message in
                    message.message(1) { $0.attributes(1, resource.resource) }
                    for scope in resource.scopes {
                        message.message(2) { logs in
                            logs.message(1) { scope.scope.write(to: &$0) }
                            for record in scope.records { logs.message(2) { record.write(to: &$0) } }
                        }
                    }
                }
            }
        }
    }
}

extension ExportTraceRequest {
    package func protobuf() -> [UInt8] {
        MessageWriter.message { request in
            for resource in resources {
                request.message(1) { message in
                    message.message(1) { $0.attributes(1, resource.resource) }
                    for scope in resource.scopes {
                        message.message(2) { spans in
                            spans.message(1) { scope.scope.write(to: &$0) }
                            for span in scope.spans { spans.message(2) { span.write(to: &$0) } }
                        }
                    }
                }
            }
        }
    }
}

extension InstrumentationScope {
    fileprivate func write(to message: inout MessageWriter) {
        message.string(1, name)
        message.string(2, version)
        message.attributes(3, attributes)
    }
}

extension LogRecord {
    fileprivate func write(to message: inout MessageWriter) {
        message.fixed64(1, time)
        message.varint(2, UInt64(bitPattern: Int64(severityNumber)))
        message.string(3, severityText)
        if let body { message.value(5, body) }
        message.attributes(6, attributes)
        message.varint(7, UInt64(droppedAttributes))
        message.bytes(9, Hex.bytes(traceID ?? "") ?? [])
        message.bytes(10, Hex.bytes(spanID ?? "") ?? [])
        message.fixed64(11, observedTime)
        message.string(12, eventName)
    }
}

extension Span {
    fileprivate func write(to message: inout MessageWriter) {
        message.bytes(1, Hex.bytes(traceID ?? "") ?? [])
        message.bytes(2, Hex.bytes(spanID ?? "") ?? [])
        message.string(3, traceState)
        message.bytes(4, Hex.bytes(parentSpanID ?? "") ?? [])
        message.string(5, name)
        message.varint(6, UInt64(bitPattern: Int64(kind)))
        message.fixed64(7, start)
        message.fixed64(8, end)
        message.attributes(9, attributes)
        message.varint(10, UInt64(droppedAttributes))
        for event in events {
            message.message(11) { inner in
                inner.fixed64(1, event.time)
                inner.string(2, event.name)
                inner.attributes(3, event.attributes)
            }
        }
        for link in links {
            message.message(13) { inner in
                inner.bytes(1, Hex.bytes(link.traceID ?? "") ?? [])
                inner.bytes(2, Hex.bytes(link.spanID ?? "") ?? [])
                inner.attributes(4, link.attributes)
            }
        }
        if status != .unset || !statusMessage.isEmpty {
            message.message(15) { inner in
                inner.string(2, statusMessage)
                inner.varint(3, UInt64(bitPattern: Int64(status.rawValue)))
            }
        }
    }
}
