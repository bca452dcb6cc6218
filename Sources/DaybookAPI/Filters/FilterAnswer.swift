import DaybookStore

/// A filter's parts, or its problem, for the page, which has no parser.
package struct FilterAnswer: Sendable {
    package var parts: [ParsedFilter.Part]
    package var isAlternatives: Bool
    package var names: [String]
    package var taken: [String]
    package var asksForOwn: Bool
    package var sql: String?
    package var error: (column: Int, message: String)?

    static let form = Form<FilterAnswer>.object(
        "ReadFilter", .init("parts", .list(ParsedFilter.Part.form), \.parts),
        .init("alternatives", .bool, \.isAlternatives), .init("names", .list(.text), \.names),
        .init("taken", .list(.text), \.taken), .init("own", .bool, \.asksForOwn), .init("sql", .optional(.text), \.sql),
        .init("error", .optional(error), \.error), make: FilterAnswer.init)

    private static let error = Form<(column: Int, message: String)>.object(
        "FilterProblem", .init("column", .number, \.column), .init("message", .text, \.message)
    ) { ($0, $1) }
}

extension FilterAnswer {
    /// - Parameter now: Nanoseconds since 1970.
    package init(_ text: String, now: Int64) {
        var parsed: ParsedFilter?
        do throws(FilterError) {
            parsed = try FilterParser.parse(text, now: now)
        } catch {
            self.error = (error.column, error.message)
        }
        (parts, isAlternatives) = (parsed?.parts ?? [], parsed?.isAlternatives ?? false)
        (names, taken) = (FilterParser.names, FilterParser.taken)
        asksForOwn = parsed?.expression?.asksForOwn ?? false
        sql = parsed?.expression.flatMap(FilterStatement.condition)
    }
}

extension ParsedFilter.Part {
    fileprivate static let form = Form<ParsedFilter.Part>.object(
        "FilterPart", .init("start", .number, \.range.lowerBound), .init("end", .number, \.range.upperBound),
        .init("text", .text, \.text),
        .init("name", .optional(.text), about: "What it asks about by `=` or `:`, as it was written.", \.name),
        .init("negated", .bool, \.isNegated)
    ) { start, end, text, name, isNegated in
        ParsedFilter.Part(range: start..<max(start, end), text: text, name: name, isNegated: isNegated)
    }
}
