import DaybookBase
import DaybookTools

/// A ``RecordFilter`` that columns can answer: decided once for each value of a slice.
package struct ColumnFilter: Sendable {
    package let columns: Set<ColumnName>
    private let condition: Condition
    private let policy: MaskingPolicy?

    /// `nil` for a filter that asks for what is in no column.
    package init?(_ filter: RecordFilter) {
        guard filter.predicate == nil, filter.receivedBefore == nil, let condition = Condition(filter.expression)
        else { return nil }
        self.condition = condition
        policy = filter.sight.policy
        columns = condition.columns.union(policy.map(RecordClasses.columns) ?? [])
    }

    /// What a masked reader sees of a slice's values; `nil` for one who sees all.
    package func classes(of slice: ColumnSlice) -> RecordClasses? { policy.map { RecordClasses($0, slice) } }

    /// The records of a slice that match.
    package func matches(in slice: ColumnSlice, _ classes: RecordClasses?) -> PlaceSet {
        condition.matches(in: slice, classes)
    }
}

/// Some records of a slice.
package enum PlaceSet: Sendable {
    case none, all
    /// 1 for each record that belongs to it, 0 for the others.
    case some([UInt8])

    /// A byte for each of so many records.
    package func bytes(_ count: Int) -> [UInt8] {
        switch self {
        case .none: Array(repeating: 0, count: count)
        case .all: Array(repeating: 1, count: count)
        case .some(let bytes): bytes
        }
    }

    fileprivate var inverse: PlaceSet {
        switch self {
        case .none: .all
        case .all: .none
        case .some(let bytes): .some(bytes.map { 1 - $0 })
        }
    }

    fileprivate func intersection(_ other: @autoclosure () -> PlaceSet) -> PlaceSet {
        if case .none = self { return self }
        switch (self, other()) {
        case (_, .none): return .none
        case (let places, .all), (.all, let places): return places
        case (.some(let left), .some(let right)): return .some(zip(left, right).map { $0 & $1 })
        case (.none, _): return .none
        }
    }

    fileprivate func union(_ other: @autoclosure () -> PlaceSet) -> PlaceSet {
        inverse.intersection(other().inverse).inverse
    }
}

private indirect enum Condition: Sendable {
    /// A record's value, of the columns that may have it.
    struct Values: Sendable {
        var names: [ColumnName]
        /// Whether only the first column that has a text counts, instead of any.
        var isFirst = false
        /// Whether hidden values do not match.
        var needsSight = false
        var holds: @Sendable (Value) -> Bool
    }

    case all([Condition])
    case any([Condition])
    case not(Condition)
    case values(Values)
    case since(Int64)
    case until(Int64)

    init?(_ expression: FilterExpression) {
        switch expression {
        case .all(let parts):
            let known = parts.compactMap(Condition.init)
            guard known.count == parts.count else { return nil }
            self = .all(known)
        case .any(let parts):
            let known = parts.compactMap(Condition.init)
            guard known.count == parts.count else { return nil }
            self = .any(known)
        case .not(let part):
            guard let part = Condition(part) else { return nil }
            self = .not(part)
        case .term(.since(let time)): self = .since(time)
        case .term(.until(let time)): self = .until(time)
        case .term(let term):
            guard let values = Values(term) else { return nil }
            self = .values(values)
        }
    }

    var columns: Set<ColumnName> {
        switch self {
        case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.columns) }
        case .not(let part): part.columns
        case .values(let values): Set(values.names)
        case .since, .until: []
        }
    }

    func matches(in slice: ColumnSlice, _ classes: RecordClasses?) -> PlaceSet {
        switch self {
        case .all(let parts):
            return parts.reduce(.all) { $0.intersection($1.matches(in: slice, classes)) }
        case .any(let parts):
            return parts.reduce(.none) { $0.union($1.matches(in: slice, classes)) }
        case .not(let part): return part.matches(in: slice, classes).inverse
        case .values(let values): return values.matches(in: slice, classes)
        case .since(let time):
            if slice.isWithin(time..<Int64.max) { return .all }
            return .some(slice.times.map { $0 >= time ? 1 : 0 })
        case .until(let time):
            if slice.isWithin(Int64.min..<time) { return .all }
            return .some(slice.times.map { $0 < time ? 1 : 0 })
        }
    }
}

extension Condition.Values {
    /// `nil` for a term about what is in no column.
    init?(_ term: FilterTerm) {
        switch term {
        case .level(let levels):
            self.init(names: [.field(.level)]) {
                if case .int(let level) = $0 { levels.contains(Int(level)) } else { false }
            }
        case .number(.duration, let range):
            self.init(names: [.field(.duration)]) {
                if case .int(let time) = $0 { range.contains(.int(time)) } else { false }
            }
        case .field(let field, let test):
            let names = field.columns
            guard !names.isEmpty else { return nil }
            self.init(names: names, isFirst: names.count > 1) { $0.plainText.map { field.holds(test, $0) } ?? false }
        case .column(let name, let test):
            self.init(names: [.own(ExactText(name)), .common(ExactText(name))], needsSight: true) { test.holds($0) }
        case .has(let name):
            self.init(names: [.own(ExactText(name)), .common(ExactText(name))]) { $0 != .null }
        case .number(.line, _), .text, .since, .until: return nil
        }
    }

    func matches(in slice: ColumnSlice, _ classes: RecordClasses?) -> PlaceSet {
        let columns = names.compactMap { SeenColumn($0, of: slice, needsSight ? classes : nil) }
        var (found, isOver): ([UInt8]?, [UInt8]?)
        for column in columns {
            let values = (1..<column.count + 1).map { column.stored($0) }
            let verdicts = values.enumerated().map { group, value -> UInt8 in
                guard let value, holds(value), !needsSight || classes == nil || column.seen(group + 1) == value
                else { return 0 }
                return 1
            }
            var own = Self.bytes(of: column.codes, [0] + verdicts)
            if let isOver { own = zip(own, isOver).map { $0 & (1 - $1) } }
            if isFirst, column.codes.count > 0 {
                let texts = Self.bytes(of: column.codes, [0] + values.map { $0?.plainText == nil ? 0 : 1 })
                isOver = isOver.map { zip($0, texts).map { $0 | $1 } } ?? texts
            }
            found = found.map { zip($0, own).map { $0 | $1 } } ?? own
        }
        guard let found, found.contains(1) else { return .none }
        return .some(found)
    }

    private static func bytes(of codes: [UInt16], _ values: [UInt8]) -> [UInt8] {
        values.withUnsafeBufferPointer { values in codes.map { values[Int($0)] } }
    }
}

extension FilterField {
    /// Where its text is, the column that takes precedence first; empty where no column has it.
    fileprivate var columns: [ColumnName] {
        switch self {
        case .tag, .name: [.field(.tag)]
        case .kind: [.field(.kind)]
        case .session: [.field(.session)]
        case .installation: [.field(.installation)]
        case .module: [.field(.module)]
        case .version: [ContextFields.versionColumn]
        case .device: ContextFields.deviceColumns
        case .file, .function, .trace, .uid, .message: []
        }
    }
}

extension ContextFields {
    package static let versionColumn = ColumnName.common("service.version")
    package static let deviceColumns = [ColumnName.common("device.model.name"), .common("device.model.identifier")]
}

extension Value {
    /// The text of a field: a text, or a whole number.
    package var plainText: String? {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        case .null, .bool, .double, .bytes, .array, .object: nil
        }
    }
}
