import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookInspector
import DaybookStore
import DaybookTools

extension Command {
    static let funnel = insight(
        "funnel", "Count how many users go from each step to the next", operand: "STEPS",
        groups: "version, a parameter, day or week, or several of them: version, day",
        example: "daybook funnel 'search.search -> recipe.show within 1h joining session' --by version"
    ) { $0 }

    static let retention = insight(
        "retention", "Count the users who come back, by their first day or week", operand: "EVENT",
        groups: "day (default) or week, or a parameter of the first event with it: week, order",
        example: "daybook retention 'recipe.show returning recipe.save for 8' --by week"
    ) { "retention \($0)" }

    static let path = insight(
        "path", "Count which events come next after an event", operand: "EVENT",
        groups: "version, a parameter or both",
        example: "daybook path 'search.search steps 2 within 10m' --last 7d"
    ) { "path after \($0)" }

    static let count = insight(
        "count", "Count how often an event occurs, and by how many users", operand: "EVENT",
        groups: "version, a parameter, day or week, or several of them: version, day",
        example: "daybook count 'search.search joining user_id' --by order,day --last 30d"
    ) { "count \($0)" }

    static let measure = insight(
        "measure", "Show the percentiles of a number or a duration of an event", operand: "NUMBER of EVENT",
        groups: "version, a parameter, day or week, or several of them: version, day",
        example: "daybook measure 'result_count of search.search' --by version"
    ) { "measure \($0)" }

    static let differ = insight(
        "differ", "Show in which values two events differ most", operand: "EVENT from EVENT",
        groups: "what they may differ in: version and parameters",
        example: "daybook differ 'recipe.save from recipe.show' --by version,order --last 30d"
    ) { "differ \($0)" }

    /// - Parameters:
    ///   - groups: the values of `--by`.
    ///   - text: the insight for an operand.
    private static func insight(
        _ name: String, _ summary: String, operand: String, groups: String, example: String,
        text: @escaping @Sendable (String) -> String
    ) -> Command {
        Command(
            name: name, summary: summary,
            options: [
                .store,
                .value("by", "GROUPS", "divide by \(groups)"),
                .value("last", "TIME", "only the last 7d, 12h, …"),
                .value("format", "FORMAT", "text (default), markdown, csv or json"),
                .value("time", "SECONDS", "time limit, 1 to 3600; default 120"),
                .flag("sql", "print the statement without running it"),
            ] + Masking.options,
            operands: (operand, 1...1),
            details: """
                \(example)

                The grammar is docs/formats/insight.md.
                """
        ) { arguments, console in
            let formatName = arguments["format"] ?? "text"
            guard let format = InsightFormat(rawValue: formatName) else {
                throw UsageError(message: "--format takes text, markdown, csv or json, not `\(formatName)`")
            }
            guard let seconds = Int(arguments["time"] ?? "120"), (1...3_600).contains(seconds) else {
                throw UsageError(message: "--time takes a number of seconds from 1 to 3600")
            }
            let clauses = ["by", "last"].compactMap { name in arguments[name].map { " \(name) \($0)" } }
            let insight: Insight
            do throws(InsightError) {
                insight = try Insight(parsing: text(arguments.operands[0]) + clauses.joined())
            } catch {
                throw UsageError(
                    message: "`\(text(arguments.operands[0]) + clauses.joined())`, column \(error.column): "
                        + error.message, hint: error.hint)
            }
            let masking = try await Masking.policy(arguments, ofStore: arguments.store)
            if let column = masking.flatMap({ insight.readColumns.first(where: $0.isPrivateAnywhere) }) {
                throw UsageError(
                    message: "`\(column)` is private: neither test it nor divide by it", hint: "--show-private")
            }
            let now = PipelineClock.system.wall()
            let sql = insight.sql(StoreAddress.dialect(of: arguments.store), now: now)
            if arguments.has("sql") {
                console.output(sql + "\n")
                return .done
            }
            let definitions = try TeamFiles.source(arguments["definitions"])?.definitions ?? Definitions()
            let tags = definitions.categories.flatMap { category in
                category.events.map { "\(category.name).\($0.name)" }
            }
            for warning in insight.warnings(among: tags) { console.errors("warning: \(warning.printable)\n") }
            let columns = try StoreAddress.open(arguments.store, access: .readOnly).columnar
            let whole = try StoreAddress.statements(arguments.store)
            let result = try await insight.answer(
                from: columns, or: masking.map { MaskedStatements(whole, $0) } ?? whole, sql,
                limits: .ofInsight(time: .seconds(seconds)), masking, now: now)
            let table = InsightTable(insight, result, now: now)
            console.output(table.text(as: format, of: insight, sql: sql))
            if format == .csv, let leftOut = table.leftOut(of: insight) { console.errors("\(leftOut)\n") }
            if result.isTruncated {
                console.errors("only the first \(result.rows.count) rows: narrow it with --last, or omit `by`\n")
            }
            return .done
        }
    }
}
