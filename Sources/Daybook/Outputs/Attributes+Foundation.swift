import Foundation

extension Attributes {
    /// The attributes as Foundation's types, for APIs that take a dictionary: `NSNull`, `Bool`, `Int64`, `Double`, `String`,
    /// `Data`, arrays and dictionaries. Of a key given twice the last value.
    public var foundation: [String: Any] {
        Dictionary(elements.map { ($0.key, $0.value.foundation) }, uniquingKeysWith: { $1 })
    }
}

extension Value {
    /// The value as one of Foundation's types; see ``Attributes/foundation``.
    public var foundation: Any {
        switch self {
        case .null: NSNull()
        case .bool(let bool): bool
        case .int(let int): int
        case .double(let double): double
        case .string(let string): string
        case .bytes(let bytes): Data(bytes)
        case .array(let items): items.map(\.foundation)
        case .object(let attributes): attributes.foundation
        }
    }
}
