extension Attributes: CustomStringConvertible {
    /// A Swift literal, in order: `["recipe_id": 42, "tags": ["egg"]]`.
    public var description: String {
        isEmpty ? "[:]" : "[" + elements.map { "\($0.key.debugDescription): \($0.value)" }.joined(separator: ", ") + "]"
    }
}

extension Value: CustomStringConvertible {
    /// A Swift literal: `42`, `"egg"`, `nil`, `["a": true]`; bytes as `.bytes([1, 2])`.
    public var description: String {
        switch self {
        case .null: "nil"
        case .bool(let bool): bool.description
        case .int(let int): int.description
        case .double(let double): double.description
        case .string(let string): string.debugDescription
        case .bytes(let bytes): ".bytes(\(bytes))"
        case .array(let items): "[" + items.map(\.description).joined(separator: ", ") + "]"
        case .object(let attributes): attributes.description
        }
    }
}
