import DaybookBase
import DaybookDefinitions
import DaybookStore

extension RecordFilter {
    /// The parameters of the API that mean this filter, for whoever asks an inspector elsewhere.
    ///
    /// They are read again before they are given: a condition that they do not say would widen the filter, and erase what
    /// nobody meant.
    /// - Throws: ``StoreError``, `badStatement`, where the API has no words for the filter, or its values are too long.
    package func parameters() throws(StoreError) -> [(name: String, value: String)] {
        let own = RecordFilter().withoutOwn.excluding
        var rest = self
        let hidesOwn = own.allSatisfy(rest.excluding.contains)
        if hidesOwn { rest.excluding.removeAll(where: own.contains) }
        var parameters: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { parameters.append((name, value)) }
        }
        add("filter", rest.expression?.description)
        add("kind", rest.kinds.joined(separator: ","))
        add("level", rest.minimumLevel.map { String($0) })
        for (name, value) in rest.names { add(name, value) }
        add("since", rest.since.map { String($0) })
        add("until", rest.until.map { String($0) })
        if !hidesOwn { add("own", "1") }
        guard Self.isSame(parameters, self) else {
            throw StoreError(
                .badStatement, "A collector cannot be asked for these conditions together. Use fewer, or shorter ones.")
        }
        return parameters
    }

    private var names: [(String, String?)] {
        [
            ("session", session), ("tag", tag), ("installation", installation), ("version", version),
            ("module", module), ("file", file), ("trace", trace),
        ]
    }

    /// Whether the parameters are read as the filter.
    private static func isSame(_ parameters: [(name: String, value: String)], _ filter: RecordFilter) -> Bool {
        // Read as by who may see everything, at no time: `last` has become a time by now.
        let reading = FilterReading(
            verdicts: Verdicts(Definitions()), disclosure: Disclosure(masking: MaskingPolicy(), tell: { _ in }),
            now: { 0 })
        var reader = ParameterReader(parameters, reading)
        guard (try? reader.read(own: []) { _, _ in }) != nil else { return false }
        return reader.filter.filter == filter
    }
}
