import DaybookStore

/// Counts records by value, within the store's budget; counts of partial answers add up.
package struct FacetsQuestion: Sendable {
    private static let own: Set = ["fields", "limit", "after", "before"]
    static let names = own.union(FilterParameters.namesWithRun)
    private static let mostFields = 20

    private let filters: FilterContext
    private let store: any EventStore

    package init(_ filters: FilterContext, of store: any EventStore) { (self.filters, self.store) = (filters, store) }

    /// - Throws: ``StoreError``, or ``Problem`` that names the parameter and its valid values.
    package func answer(_ parameters: Parameters) async throws -> FacetsAnswer {
        var query = FacetQuery()
        var reader = try await ParameterReader(narrowing: parameters, filters, in: store)
        try reader.read(own: Self.own) { name, value throws(Problem) in
            switch name {
            case "limit": query.limit = Int(try FilterParameters.number(name, value, in: 1...1_000))
            case "after": query.after = try FilterParameters.number(name, value, in: 0...Int64.max)
            case "before": query.before = try FilterParameters.number(name, value, in: 0...Int64.max)
            default:
                query.fields = []
                for part in value.split(separator: ",") {
                    let field = try FacetQuery.Field(parameter: name, String(part))
                    if !query.fields.contains(field) { query.fields.append(field) }
                }
                guard query.fields.count <= Self.mostFields else {
                    throw Problem(.badRequest, "fields is at most \(Self.mostFields) names, with commas.")
                }
            }
        }
        query.filter = reader.filter.filter
        filters.tell(ofPrivate: query.fields, query.filter.sight)
        return FacetsAnswer(try await store.facets(query), of: query.fields)
    }
}

extension FacetQuery {
    /// The equivalent API parameters.
    /// - Throws: As ``RecordFilter/parameters()``.
    package func parameters() throws(StoreError) -> Parameters {
        var parameters = try filter.parameters()
        parameters += [("fields", fields.map(\.rawValue).joined(separator: ",")), ("limit", String(limit))]
        if let before { parameters.append(("before", String(max(before, 0)))) }
        return parameters
    }
}

extension FacetQuery.Field {
    init(parameter name: String, _ value: String) throws(Problem) {
        guard let field = Self(rawValue: value) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.badRequest, "\(name) takes \(names), or attributes.NAME for a parameter, not “\(value)”.")
        }
        self = field
    }
}

extension FilterContext {
    func tell(ofPrivate fields: [FacetQuery.Field], _ sight: Sight) {
        let names = fields.filter { !FacetQuery.Field.allCases.contains($0) }.map(\.rawValue)
        guard !names.isEmpty, sight == .whole else { return }
        disclosure.tell("showed counts by \(names.joined(separator: ", "))")
    }
}
