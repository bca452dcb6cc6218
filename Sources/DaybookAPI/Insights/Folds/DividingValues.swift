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
