/// What the journal keeps of the context: the resource and the common attributes, encoded once per version.
///
/// Layout: a protobuf message of our own. Field 1: the resource, an OpenTelemetry `Resource` message. Field 2: the common
/// attributes, as the fields 6 of a `LogRecord`, ready to be appended to one. Field 3, repeated: their names.
package struct ContextBytes: Sendable, Hashable {
    /// A `Resource` message.
    package var resource: [UInt8]
    /// Fields 6 of a `LogRecord`.
    package var attributes: [UInt8]
    /// The attributes' names.
    package var names: [String]

    package init(resource: [UInt8], attributes: [UInt8], names: [String]) {
        self.resource = resource
        self.attributes = attributes
        self.names = names
    }

    /// From the journal's bytes; empty where they cannot be read, so that records are delivered without a context rather
    /// than not at all.
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

    /// The journal's bytes.
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

    /// The same attributes as the fields 9 of a `Span`.
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

    /// The attributes, decoded.
    package var decodedAttributes: Attributes { Self.decoded(attributes) }

    /// The resource's attributes, decoded.
    package var decodedResource: Attributes { Self.decoded(resource) }

    /// A message whose one field is an attribute, repeated.
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

/// What stays the same for a launch: the resource, and the key for sensitive values.
struct ResourceIdentity: Sendable {
    /// An OpenTelemetry `Resource` message.
    let resource: [UInt8]
    let key: HashKey

    /// A `Resource` message; its attributes are field 1.
    static func encode(_ attributes: Attributes) -> [UInt8] {
        FieldEncoder.encoded(tag: 1 << 3 | 2, key: HashKey(0, 0)) { $0.add(attributes) }
    }

    /// The journal's context for the app's context in a session.
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
