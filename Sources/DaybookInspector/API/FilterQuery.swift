import DaybookBase
import DaybookDefinitions
import DaybookStore
import DaybookTools

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
        // What is left out is asked for in the language of filters.
        var parts = rest.expression?.parts ?? []
        for excluded in rest.excluding { parts.append(try Self.negation(of: excluded)) }
        let expression = parts.count > 1 ? FilterExpression.all(parts) : parts.first
        var asked = rest
        asked.excluding = hidesOwn ? own : []
        asked.expression = nil
        if let expression { asked.narrow(by: expression) }
        var parameters: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { parameters.append((name, value)) }
        }
        add("filter", expression?.description)
        add("kind", rest.kinds.joined(separator: ","))
        add("level", rest.minimumLevel.map { String($0) })
        for (name, value) in rest.names { add(name, value) }
        add("since", rest.since.map(ReadTime.text))
        add("until", rest.until.map(ReadTime.text))
        add("received_before", rest.receivedBefore.map(ReadTime.text))
        if !hidesOwn { add("own", "1") }
        guard Self.isSame(parameters, asked) else { throw Self.hasNoWords }
        return parameters
    }

    private static let hasNoWords = StoreError(
        .badStatement, "A collector cannot be asked for these conditions together. Use fewer, or shorter ones.")

    /// "Not these tags", as an expression; "not what has other tags than these" is "one of these".
    private static func negation(of excluded: RecordFilter) throws(StoreError) -> FilterExpression {
        var others = excluded
        (others.tag, others.excluding) = (nil, [])
        guard others.isEmpty, excluded.tag == nil || excluded.excluding.isEmpty else { throw hasNoWords }
        var terms: [String] = []
        for filter in excluded.excluding {
            var rest = filter
            rest.tag = nil
            guard rest.isEmpty, let tag = filter.tag else { throw hasNoWords }
            terms.append("tag=\(escaped(tag))")
        }
        if let tag = excluded.tag { terms.append("-tag=\(escaped(tag))") }
        guard !terms.isEmpty,
            let expression = try? FilterParser.parse(terms.joined(separator: " OR "), now: 0).expression
        else { throw hasNoWords }
        return expression
    }

    private static func escaped(_ tag: String) -> String {
        // A star of the tag itself is escaped already.
        var text = ""
        var isEscaped = false
        for character in tag {
            if !isEscaped, !"\\*.".contains(character), !character.isLetter, !character.isNumber { text += "\\" }
            text.append(character)
            isEscaped = !isEscaped && character == "\\"
        }
        return text
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
        var reader = ParameterReader(parameters, reading, sight: filter.sight)
        guard (try? reader.read(own: []) { _, _ in }) != nil else { return false }
        return reader.filter.filter == filter
    }
}

extension FilterExpression {
    /// What must all hold.
    fileprivate var parts: [FilterExpression] {
        if case .all(let parts) = self { parts.flatMap(\.parts) } else { [self] }
    }
}
