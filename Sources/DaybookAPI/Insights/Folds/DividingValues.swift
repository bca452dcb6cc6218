import DaybookStore
import DaybookTools

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
