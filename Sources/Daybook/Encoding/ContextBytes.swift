/// The context in the journal: the resource and the common attributes, encoded once per version.
///
/// A protobuf message of our own. Field 1: an OpenTelemetry `Resource`. Field 2: the common attributes as fields 6 of a
/// `LogRecord`, ready to append. Field 3, repeated: their names.
package struct ContextBytes: Sendable, Hashable {
    /// A `Resource` message.
    package var resource: [UInt8]
    /// Fields 6 of a `LogRecord`.
    package var attributes: [UInt8]
    package var names: [String]

    package init(resource: [UInt8], attributes: [UInt8], names: [String]) {
        self.resource = resource
        self.attributes = attributes
        self.names = names
    }

    /// Decodes the journal's bytes; empty if unreadable, so that records are still delivered.
    package init(_ encoded: [UInt8]) {
        var resource: [UInt8] = []
        var attributes: [UInt8] = []
        var names: [String] = []
        encoded.withUnsafeBytes { bytes in
            var reader = ProtobufReader(bytes)
            do throws(ProtobufError) {
                while let field = try reader.nextField() {
                    switch (field.number, field.wireType) {
                    case (1, .lengthDelimited): resource = Array(try reader.bytes())
                    case (2, .lengthDelimited): attributes = Array(try reader.bytes())
                    case (3, .lengthDelimited): names.append(try reader.string())
                    default: try reader.skip(field)
                    }
                }
            } catch {
                (resource, attributes, names) = ([], [], [])
            }
        }
        self.init(resource: resource, attributes: attributes, names: names)
    }

    package var encoded: [UInt8] {
        let capacity =
            resource.count + attributes.count + names.reduce(0) { $0 + $1.utf8.count } + 32 * (names.count + 2)
        return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            var writer = ProtobufWriter(UnsafeMutableRawBufferPointer(buffer), startingAt: base)
            writer.bytes(field: 1 << 3 | 2, resource)
            writer.bytes(field: 2 << 3 | 2, attributes)
            for name in names { writer.string(field: 3 << 3 | 2, name) }
            count = writer.count
        }
    }

    /// The attributes as fields 9 of a `Span`.
    package var spanAttributes: [UInt8] {
        retagged { writer, entry in writer.bytes(field: SpanEncoder.attributeTag, entry) }
    }

    private func retagged(_ write: (inout ProtobufWriter, UnsafeRawBufferPointer) -> Void) -> [UInt8] {
        attributes.withUnsafeBytes { bytes in
            [UInt8](unsafeUninitializedCapacity: attributes.count + Protobuf.maximumVarint) { buffer, count in
                guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
                var writer = ProtobufWriter(UnsafeMutableRawBufferPointer(buffer), startingAt: base)
                var reader = ProtobufReader(bytes)
                while let field = try? reader.nextField(), field.wireType == .lengthDelimited,
                    let entry = try? reader.bytes()
                {
                    write(&writer, entry)
                }
                count = writer.count
            }
        }
    }

    package var decodedAttributes: Attributes { Self.decoded(attributes) }

    package var decodedResource: Attributes { Self.decoded(resource) }

    /// Decodes a message whose only field is a repeated attribute.
    private static func decoded(_ bytes: [UInt8]) -> Attributes {
        var result = Attributes()
        bytes.withUnsafeBytes { bytes in
            var reader = ProtobufReader(bytes)
            while let field = try? reader.nextField(), field.wireType == .lengthDelimited,
                let entry = try? AnyValue.decodeEntry(reader.message())
            {
                result.elements.append(entry)
            }
        }
        return result
    }
}

/// Constant for a launch: the resource, and the key for sensitive values.
struct ResourceIdentity: Sendable {
    /// An OpenTelemetry `Resource` message.
    let resource: [UInt8]
    let key: HashKey

    /// Encodes a `Resource` message; attributes are its field 1.
    static func encode(_ attributes: Attributes) -> [UInt8] {
        FieldEncoder.encoded(tag: 1 << 3 | 2, key: HashKey(0, 0)) { $0.add(attributes) }
    }

    /// The journal's context for the app's context and a session.
    func contextBytes<Context: LogContext>(of context: Context, session: String) -> ContextBytes {
        let attributes = FieldEncoder.encoded(tag: LogRecordEncoder.attributeTag, key: key) { fields in
            context.encode(into: &fields)
            fields.add(WireName.session, session)
            let names = Context.privateColumns
            if !names.isEmpty { fields.add(WireName.privateCommonNames, .array(names.map { .string($0) })) }
        }
        let draft = ContextBytes(resource: resource, attributes: attributes, names: [])
        return ContextBytes(
            resource: resource, attributes: attributes, names: draft.decodedAttributes.elements.map(\.key))
    }
}
