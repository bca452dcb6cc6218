import DaybookStore
import DaybookTools

extension RecordFilter {
    /// The API parameters equivalent to this filter.
    /// - Throws: ``StoreError``, `badStatement`, for a predicate, which is code, and for a filter that is too long.
    package func parameters() throws(StoreError) -> [(name: String, value: String)] {
        let text = FilterExpression.every(expression.conjuncts.filter { !$0.isTime }).description
        let times = expression.times
        guard predicate == nil, text.utf8.count <= FilterParser.longest else {
            throw StoreError(
                .badStatement, "A collector cannot be asked for these conditions together. Use fewer, or shorter ones.")
        }
        let bounds = [("since", times.since), ("until", times.until), ("received_before", receivedBefore)]
        return (text.isEmpty ? [] : [("filter", text)])
            + bounds.compactMap { name, time in time.map { (name, ReadTime.text(of: $0)) } }
            // The filter's text already excludes the collector's own records if they should be.
            + [("own", "1")]
    }
}
