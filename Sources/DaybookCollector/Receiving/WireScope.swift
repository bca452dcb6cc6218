import DaybookBase

/// What resources and scopes say beside their attributes: it stays in the context under names of its own, where it is not
/// the same as nothing.
enum WireScope {
    static let resourceSchema = "otel.resource.schema_url"
    static let resourceDropped = "otel.resource.dropped_attributes_count"
    static let scopeSchema = "otel.scope.schema_url"
    static let scopeDropped = "otel.scope.dropped_attributes_count"
    fileprivate static let entities = "otel.resource.entity_refs"

    /// `EntityRef` of a resource.
    static func entity(schema: String, type: String, keys: [String], descriptions: [String]) -> Value {
        var entity: Attributes = ["type": .string(type), "id_keys": .array(keys.map { .string($0) })]
        if !descriptions.isEmpty { entity["description_keys"] = .array(descriptions.map { .string($0) }) }
        entity.add(schema, as: "schema_url")
        return .object(entity)
    }
}

extension Attributes {
    /// Adds a text, unless it is empty.
    mutating func add(_ text: String, as key: String) {
        if !text.isEmpty { elements.append(.init(key, .string(text))) }
    }

    /// Adds a number, unless it is 0.
    mutating func add(_ number: UInt32, as key: String) {
        if number > 0 { elements.append(.init(key, .int(Int64(number)))) }
    }

    /// Adds the entities that a resource names.
    mutating func add(entities: [Value]) {
        if !entities.isEmpty { elements.append(.init(WireScope.entities, .array(entities))) }
    }
}
