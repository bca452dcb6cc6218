import DaybookBase
import DaybookTools

/// What a masked reader sees of a slice's values.
///
/// A value may be hidden in one record and shown in another, for a record can call names private itself, and an event
/// can declare a name open. Records that hide the same are one class; mostly there is one.
package struct RecordClasses: Sendable {
    private struct Class: Hashable {
        var lists: [Value]
        /// A tag whose event declares names open; empty for all others.
        var tag: String
    }

    /// The columns that tell classes apart.
    package static func columns(_ policy: MaskingPolicy) -> Set<ColumnName> {
        var names = Set(MaskingPolicy.lists.flatMap { [ColumnName.own(ExactText($0)), .common(ExactText($0))] })
        if !policy.open.isEmpty { names.insert(.field(.tag)) }
        return names
    }

    private let policy: MaskingPolicy
    private var classes = [Class(lists: [], tag: "")]
    /// The number of each record's class; empty if all are of the first.
    fileprivate private(set) var numbers: [UInt16] = []

    package init(_ policy: MaskingPolicy, _ slice: ColumnSlice) {
        self.policy = policy
        let lists = Self.columns(policy).subtracting([.field(.tag)]).compactMap { slice[$0] }
        let tags = policy.open.isEmpty ? nil : slice[.field(.tag)]
        let open =
            [""]
            + (0..<(tags?.count ?? 0)).map { number in
                tags?.text(number + 1).flatMap { policy.open[$0] == nil ? nil : $0 } ?? ""
            }
        guard !lists.isEmpty || open.contains(where: { !$0.isEmpty }) else { return }
        var known: [Class: UInt16] = [classes[0]: 0]
        var last: (codes: [UInt16], number: UInt16) = ([], 0)
        numbers = (0..<slice.count).map { place in
            let codes = lists.map { $0.codes[place] } + (tags.map { [$0.codes[place]] } ?? [])
            if codes == last.codes { return last.number }
            let told = lists.compactMap { list in
                list.codes[place] == 0 ? nil : list.value(Int(list.codes[place]))
            }
            let own = Class(lists: told, tag: open[Int(tags?.codes[place] ?? 0)])
            let number = known[own] ?? UInt16(classes.count)
            if known.updateValue(number, forKey: own) == nil { classes.append(own) }
            last = (codes, number)
            return number
        }
    }

    /// What a reader sees of a member's value in the records of a class.
    fileprivate func seen(_ value: Value, of name: String, in number: Int) -> Value {
        let own = classes[number]
        return policy.seen(value, of: name, lists: own.lists, tag: own.tag)
    }
}

/// A column of a slice, its records grouped by what a reader sees of their values.
package final class SeenColumn: Sendable {
    /// The number of each record's group, from 1; 0 without a value.
    package let codes: [UInt16]
    private let column: SliceColumn
    private let name: ColumnName
    private let classes: RecordClasses?
    /// A value's number, and a class; `nil` where the groups are the values.
    private let groups: [(value: UInt16, record: UInt16)]?

    /// `nil` where no record has a value.
    /// - Parameter classes: `nil` for a reader who sees all.
    package init?(_ name: ColumnName, of slice: ColumnSlice, _ classes: RecordClasses?) {
        guard let column = slice[name] else { return nil }
        (self.column, self.name) = (column, name)
        self.classes = name.isMember ? classes : nil
        guard let numbers = self.classes?.numbers, !numbers.isEmpty else {
            (codes, groups) = (column.codes, nil)
            return
        }
        var codes = column.codes
        var (known, groups): ([UInt32: UInt16], [(UInt16, UInt16)]) = ([:], [])
        for (place, value) in column.codes.enumerated() where value != 0 {
            let key = UInt32(value) << 16 | UInt32(numbers[place])
            let group = known[key] ?? UInt16(groups.count + 1)
            if known.updateValue(group, forKey: key) == nil { groups.append((value, numbers[place])) }
            codes[place] = group
        }
        (self.codes, self.groups) = (codes, groups)
    }

    package var count: Int { groups?.count ?? column.count }

    /// The stored value of a group, from 1.
    package func stored(_ group: Int) -> Value? {
        column.value(number(ofValueIn: group))
    }

    /// What the reader sees of it.
    package func seen(_ group: Int) -> Value? {
        guard let classes, let member = name.member, let value = stored(group) else { return stored(group) }
        return classes.seen(value, of: member, in: Int(groups?[group - 1].record ?? 0))
    }

    /// The number that the reader sees; `nil` for another value.
    package func number(_ group: Int) -> Double? {
        guard let number = column.number(number(ofValueIn: group)) else { return nil }
        return classes == nil || seen(group) == stored(group) ? number : nil
    }

    private func number(ofValueIn group: Int) -> Int { groups.map { Int($0[group - 1].value) } ?? group }

    /// What the reader sees of a text, number or boolean, as it is written; empty for anything else.
    package func label(_ group: Int) -> String {
        guard let value = stored(group), value.countedText != nil else { return "" }
        if classes != nil, let seen = seen(group), seen != value { return seen.countedText ?? "" }
        return column.text(number(ofValueIn: group)) ?? ""
    }
}
