import DaybookBase
import DaybookStore

extension Command {
    static let breakdown = Command(
        name: "breakdown", summary: "Count records by the values of a field or a parameter",
        options: RecordSource.options + [
            .value("top", "COUNT", "how many of the most frequent values, 1 to 1000; default 10"),
            .value("format", "FORMAT", "table (default), csv, json or ndjson"),
            QueryFormat.spreadsheet,
            RecordSelection.ownRecords,
        ] + Masking.options + RecordSelection.options,
        operands: ("FIELD", 1...1),
        details: """
            daybook breakdown screen --filter 'version=4.12.0 last:7d'

            FIELD is kind, level, tag, module, session, version or installation; any other name is a parameter, the \
            event's own or else the one common to all records. attributes.NAME is the parameter even where a field has \
            its name. The last line counts all other records, \
            including those without a value. Private values are counted under stand-ins.
            """
    ) { arguments, console in
        guard let format = QueryFormat(rawValue: arguments["format"] ?? "table") else {
            throw UsageError(message: "--format takes table, csv, json or ndjson, not `\(arguments["format"] ?? "")`")
        }
        try format.checkSpreadsheet(arguments)
        guard let top = Int(arguments["top"] ?? "10"), (1...1_000).contains(top) else {
            throw UsageError(message: "--top takes a number from 1 to 1000")
        }
        // As in filters: other names are parameters.
        let field = FacetQuery.Field(rawValue: arguments.operands[0]) ?? .attribute(arguments.operands[0])
        let masking = try await RecordSource.masking(arguments)
        let fields = field == .kind ? [field] : [field, .kind]
        var query = FacetQuery(filter: try RecordSelection.shown(arguments, masking), fields: fields)
        query.limit = 1_000
        let counts = try RecordSource.counts(arguments)
        query.before = try await counts.head() + 1
        var progress = ProgressLine(console)
        defer { progress.end() }
        var values: [ExactText: Int64] = [:]
        var (total, missing): (Int64, Int64) = (0, 0)
        var next = query.before
        while let before = next {
            query.before = before
            let part = try await counts.facets(query)
            for value in part.values[field] ?? [] {
                values[ExactText(Breakdown.name(value.value, of: field)), default: 0] += value.count
            }
            missing += part.cut[field]?.most ?? 0
            total += (part.values[.kind] ?? []).reduce(0) { $0 + $1.count }
            next = part.next
            if let next { progress.show("#\(next) and above") }
        }
        progress.end()
        RecordSource.tell(await counts.notices(), console)
        if total == 0 {
            console.errors(RecordSelection.noMatch)
        } else if values.isEmpty, case .attribute(let name) = field {
            let names = FacetQuery.Field.allCases.map(\.rawValue).joined(separator: ", ")
            console.errors("note: none of these records has a parameter `\(name)`; the fields are \(names)\n")
        }
        if missing > 0 {
            console.errors("note: there are so many values that each count may be too low, by at most \(missing)\n")
        }
        let others: QueryResult.Cell = format == .table ? .text("(others)") : .null
        console.output(
            format.text(
                of: Breakdown.table(values, total: total, top: top, others: others),
                isForSpreadsheet: arguments.has("spreadsheet")))
        return .done
    }
}

private enum Breakdown {
    static func name(_ value: String, of field: FacetQuery.Field) -> String {
        guard field == .level, let number = Int(value) else { return value }
        return Level(severityNumber: number).name
    }

    static func table(
        _ values: [ExactText: Int64], total: Int64, top: Int, others name: QueryResult.Cell
    ) -> QueryResult {
        func row(_ value: QueryResult.Cell, _ count: Int64) -> [QueryResult.Cell] {
            [value, .integer(count), .real((Double(count) / Double(max(total, 1)) * 1_000).rounded() / 1_000)]
        }
        let shown = values.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(top)
        let others = total - shown.reduce(0) { $0 + $1.value }
        let rows = shown.map { row(.text($0.key.text), $0.value) } + (others > 0 ? [row(name, others)] : [])
        return QueryResult(columns: ["value", "records", "share"], rows: rows, isTruncated: false)
    }
}
