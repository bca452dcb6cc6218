import DaybookStore
import DaybookTools

/// What divides the answer: versions, values and periods.
struct Divisions {
    private struct Group: Hashable {
        var version: Int32
        var value: Int32
        var period: Int32
    }

    private let insight: Insight
    private let sight: FoldSight
    private var versions: DividingVersions
    private var values: DividingValues
    private var known: [Group: Int32] = [:]
    private var groups: [Group] = []

    init(_ insight: Insight, _ sight: FoldSight) {
        (self.insight, self.sight) = (insight, sight)
        (versions, values) = (DividingVersions(insight, sight), DividingValues(insight, sight))
    }

    var count: Int { groups.count }

    var columns: Set<ColumnName> { versions.columns.union(DividingValues.columns(insight, sight)) }

    mutating func groups(of found: StepFlags.Found, in slice: ColumnSlice, _ periods: Periods?) -> [Int32] {
        let (codes, numbers) = versions.numbers(in: slice)
        let values = values.numbers(of: found, in: slice)
        // The last group of each few values, because a look into the dictionary for each record takes too long.
        let none = (group: Group(version: -1, value: -1, period: -1), number: Int32(-1))
        var last = Array(repeating: none, count: 256)
        return found.places.enumerated().map { index, place in
            let version = numbers[codes.map { Int($0[Int(place)]) } ?? 0]
            guard version >= 0 else { return -1 }
            let group = Group(
                version: Int32(version), value: values.isEmpty ? 0 : values[index],
                period: periods?.number(of: slice.times[Int(place)]) ?? 0)
            let place = Int(group.value) & 255
            if group != last[place].group { last[place] = (group, number(of: group)) }
            return last[place].number
        }
    }

    private mutating func number(of group: Group) -> Int32 {
        if let number = known[group] { return number }
        let number = Int32(groups.count)
        known[group] = number
        groups.append(group)
        return number
    }

    /// A group's cells, in the order of ``Insight/dividing``.
    func cells(_ number: Int) -> [QueryResult.Cell] {
        let group = groups[number]
        var cells: [QueryResult.Cell] = insight.isByVersion ? [.text(versions.texts[Int(group.version)])] : []
        if insight.parameter != nil { cells.append(.text(values.texts[Int(group.value)])) }
        if let periods = Periods(insight) { cells.append(.text(periods.date(group.period))) }
        return cells
    }
}

/// The values of the column that divides an insight, numbered. Records without one have the empty text.
struct DividingValues {
    private let field: FacetQuery.Field?
    private let masking: MaskingPolicy?
    private var values = TextNumbers()

    init(_ insight: Insight, _ sight: FoldSight) {
        (field, masking) = (insight.parameter.map { .attribute($0) }, sight.masking)
        if field == nil { _ = values.number(of: "") }
    }

    /// By number.
    var texts: [String] { values.texts }

    /// What is read for it.
    static func columns(_ insight: Insight, _ sight: FoldSight) -> Set<ColumnName> {
        guard let parameter = insight.parameter else { return [] }
        let field = FacetQuery.Field.attribute(parameter)
        return Set(field.columns).union(sight.masking.map(RecordClasses.columns) ?? [])
    }

    /// For each found record the number of its value; empty where nothing is divided.
    mutating func numbers(of found: StepFlags.Found, in slice: ColumnSlice) -> [Int32] {
        guard let field else { return [] }
        let column = CountedColumn(field, of: slice, masking.map { RecordClasses($0, slice) })
        var known = [Int32](repeating: -1, count: column.count + 1)
        return found.places.map { place in
            let number = Int(column.numbers[Int(place)])
            if known[number] < 0 { known[number] = Int32(values.number(of: column.label(number))) }
            return known[number]
        }
    }
}

/// The versions that divide an insight, numbered.
struct DividingVersions {
    private static let name = FacetQuery.Field.version.columns[0]

    private let isByVersion: Bool
    private let only: [String]
    private let masking: MaskingPolicy?
    private var versions = TextNumbers()

    init(_ insight: Insight, _ sight: FoldSight) {
        (isByVersion, only, masking) = (insight.isByVersion, insight.versions, sight.masking)
        if !isByVersion { _ = versions.number(of: "") }
    }

    var texts: [String] { versions.texts }

    var columns: Set<ColumnName> { isByVersion ? [Self.name] : [] }

    /// Each record's version in a slice, and the versions' numbers; -1 for one that does not count.
    mutating func numbers(in slice: ColumnSlice) -> (codes: [UInt16]?, numbers: [Int]) {
        guard isByVersion else { return (nil, [0]) }
        let column = slice[Self.name]
        let texts = [""] + (0..<(column?.count ?? 0)).map { shown(column?.text($0 + 1) ?? "") }
        let numbers = texts.map { text in
            only.isEmpty || only.contains { $0.utf8.elementsEqual(text.utf8) } ? versions.number(of: text) : -1
        }
        return (column?.codes, numbers)
    }

    /// A version that is a credential is not shown.
    private func shown(_ version: String) -> String {
        guard case .string(let text)? = masking?.masked(.string(version), named: "service.version") else {
            return version
        }
        return text
    }
}
