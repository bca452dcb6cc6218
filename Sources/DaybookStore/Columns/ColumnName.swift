/// A column of an extent: a field of its records, or a member of their attributes or contexts.
package enum ColumnName: Hashable, Sendable {
    /// Fields that every store has as columns of `records`.
    package enum Field: String, CaseIterable, Sendable {
        case time, level, duration, kind, tag, session, installation, module

        static let texts: [Field] = [.kind, .tag, .session, .installation, .module]
    }

    case field(Field)
    /// A member of `attributes`.
    case own(ExactText)
    /// A member of `context`.
    case common(ExactText)

    /// In the index: the contexts of the records, over which common columns are.
    static let contexts = "context"
    /// In the index: which columns an extent has, and whether it has members without one.
    static let list = "columns"

    /// Whether its values are JSON.
    var isMember: Bool { member != nil }

    /// The name of a member; `nil` for a field.
    var member: String? {
        switch self {
        case .field: nil
        case .own(let name), .common(let name): name.text
        }
    }

    /// As in the index.
    var text: String {
        switch self {
        case .field(let field): field.rawValue
        case .own(let name): "attributes.\(name.text)"
        case .common(let name): "context.\(name.text)"
        }
    }
}
