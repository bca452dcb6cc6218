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
