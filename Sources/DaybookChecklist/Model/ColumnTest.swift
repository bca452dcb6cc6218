/// A test of one column of a record: `position >= 0`.
public struct ColumnTest: Sendable, Hashable {
    /// What the column is held against.
    public enum Condition: Sendable, Hashable {
        case equal(ChecklistValue)
        case notEqual(ChecklistValue)
        case less(ChecklistValue)
        case lessOrEqual(ChecklistValue)
        case greater(ChecklistValue)
        case greaterOrEqual(ChecklistValue)
        case oneOf([ChecklistValue])
        /// The column's text has the expression somewhere in it.
        case matches(TextPattern)
        case exists
        case absent
    }

    public var column: String
    public var condition: Condition
    /// Where the column's name stands.
    public var location: ChecklistLocation
    /// The test as written.
    public var text: String

    /// Whether the condition holds for what a record has in the column, `nil` where it has nothing.
    ///
    /// A column that is absent fulfils `absent` alone, not even `!=`. Values of different types are unequal and have no
    /// order. `matches` looks at texts, and at numbers as they are written.
    func holds(for value: ChecklistValue?) -> Bool {
        guard let value else { return condition == .absent }
        switch condition {
        case .equal(let wanted): return value.equals(wanted)
        case .notEqual(let unwanted): return !value.equals(unwanted)
        case .less(let bound): return value.order(against: bound) == .before
        case .lessOrEqual(let bound): return value.order(against: bound).map { $0 != .after } ?? false
        case .greater(let bound): return value.order(against: bound) == .after
        case .greaterOrEqual(let bound): return value.order(against: bound).map { $0 != .before } ?? false
        case .oneOf(let wanted): return wanted.contains { value.equals($0) }
        case .exists: return true
        case .matches(let pattern):
            switch value {
            case .text(let text): return pattern.matches(text)
            case .structure: return false
            default: return pattern.matches(value.description)
            }
        case .absent: return false
        }
    }

    /// What a record has that breaks the test: `position is absent`, `position is "3", a text`.
    func explanation(of value: ChecklistValue?) -> String {
        guard let value else { return "\(column) is absent" }
        let wanted: ChecklistValue? =
            switch condition {
            case .equal(let bound), .notEqual(let bound), .less(let bound), .lessOrEqual(let bound),
                .greater(let bound), .greaterOrEqual(let bound):
                bound
            case .oneOf(let bounds): bounds.first
            case .matches, .exists, .absent: nil
            }
        guard let wanted, wanted.typeName != value.typeName else { return "\(column) is \(value)" }
        return "\(column) is \(value), \(value.typeName), not \(wanted.typeName)"
    }
}
