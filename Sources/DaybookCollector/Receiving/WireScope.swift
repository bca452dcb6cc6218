import DaybookBase

/// Names in the context for what resources and scopes carry outside their attributes; default values are left out.
enum WireScope {
    static let resourceSchema = "otel.resource.schema_url"
    static let resourceDropped = "otel.resource.dropped_attributes_count"
    static let scopeSchema = "otel.scope.schema_url"
    static let scopeDropped = "otel.scope.dropped_attributes_count"
    fileprivate static let entities = "otel.resource.entity_refs"

    /// An `EntityRef` of a resource.
    static func entity(schema: String, type: String, keys: [String], descriptions: [String]) -> Value {
        var entity: Attributes = ["type": .string(type), "id_keys": .array(keys.map { .string($0) })]
        if !descriptions.isEmpty { entity["description_keys"] = .array(descriptions.map { .string($0) }) }
        entity.add(schema, as: "schema_url")
        return .object(entity)
    }
}

extension Attributes {
    /// Unless it is empty.
    mutating func add(_ text: String, as key: String) {
        if !text.isEmpty { elements.append(.init(key, .string(text))) }
    }

    /// Unless it is 0.
    mutating func add(_ number: UInt32, as key: String) {
        if number > 0 { elements.append(.init(key, .int(Int64(number)))) }
    }

    mutating func add(entities: [Value]) {
        if !entities.isEmpty { elements.append(.init(WireScope.entities, .array(entities))) }
    }
}
