import DaybookStore

/// Reads the query of `/api/v1/records` and `/api/v1/records/count`.
struct RecordParameters {
    private static let paging: Set<String> = ["after", "before", "limit", "order"]

    private(set) var query = RecordQuery()

    /// - Throws: ``Problem`` that names the parameter and what it takes.
    init(_ parameters: [(name: String, value: String)], verdicts: Verdicts) throws(Problem) {
        var query = RecordQuery()
        var reader = ParameterReader(parameters, verdicts: verdicts)
        try reader.read(own: Self.paging) { name, value throws(Problem) in
            switch name {
            case "after": query.after = try FilterParameters.number(name, value, in: 0...Int64.max)
            case "before": query.before = try FilterParameters.number(name, value, in: 0...Int64.max)
            case "limit": query.limit = Int(try FilterParameters.number(name, value, in: 1...1_000))
            default:
                switch value {
                case "newest": query.order = .newestFirst
                case "oldest": query.order = .oldestFirst
                default: throw Problem(.badRequest, "order is newest or oldest, not “\(value)”.")
                }
            }
        }
        query.filter = reader.filter.filter
        self.query = query
    }
}
