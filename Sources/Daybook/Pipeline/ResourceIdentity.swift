/// What stays the same for a launch: the resource, the session, and the key for sensitive values.
struct ResourceIdentity: Sendable {
    /// An OpenTelemetry `Resource` message.
    let resource: [UInt8]
    let session: String
    let key: HashKey

    /// A `Resource` message; its attributes are field 1.
    static func encode(_ attributes: Attributes) -> [UInt8] {
        encodeFields(tag: 1 << 3 | 2, key: HashKey(0, 0)) { $0.add(attributes) }
    }

    /// The journal's context for the app's context.
    func contextBytes(of context: some LogContext) -> ContextBytes {
        let attributes = Self.encodeFields(tag: LogRecordEncoder.attributeTag, key: key) { fields in
            context.encode(into: &fields)
            fields.add(WireName.session, session)
        }
        let draft = ContextBytes(resource: resource, attributes: attributes, names: [])
        return ContextBytes(
            resource: resource, attributes: attributes, names: draft.decodedAttributes.elements.map(\.key))
    }

    /// Runs an encoder over memory that grows until everything fits.
    private static func encodeFields(tag: UInt8, key: HashKey, _ encode: (inout FieldEncoder) -> Void) -> [UInt8] {
        var capacity = 1024
        while true {
            var isTooLong = false
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
                let writer = ProtobufWriter(UnsafeMutableRawBufferPointer(buffer), startingAt: base)
                var fields = FieldEncoder(writer: writer, field: tag, key: key)
                encode(&fields)
                isTooLong = fields.writer.overflowed
                count = isTooLong ? 0 : fields.writer.count
            }
            if !isTooLong { return bytes }
            capacity *= 4
        }
    }
}
