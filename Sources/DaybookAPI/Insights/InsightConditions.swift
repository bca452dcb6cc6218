import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookTools

/// Steps and columns as conditions and expressions over the view `records`. What a record has in a column is what a
/// checklist takes: the event's own value, or else the common one.
package struct InsightConditions {
    package let dialect: SQLDialect

    /// A text, NULL where the record has nothing.
    package func person(_ joining: Insight.Joining) -> String {
        switch joining {
        case .session: text(ofColumn: "session")
        case .installation: text(ofColumn: "installation")
        case .column(let name):
            "coalesce(\(dialect.recordText(name, in: "attributes")), \(dialect.recordText(name, in: "context")))"
        }
    }

    private func text(ofColumn name: String) -> String {
        dialect == .clickhouse ? "CAST(\(name) AS Nullable(String))" : name
    }

    /// The version of the app, empty where nothing says which.
    package var version: String { "coalesce(\(dialect.recordVersion), '')" }

    /// Days since 1970 as a text.
    package func date(_ days: String) -> String {
        switch dialect {
        case .sqlite: "date((\(days)) * 86400, 'unixepoch')"
        case .clickhouse: "toString(addDays(toDate32('1970-01-01'), \(days)))"
        case .postgresql, .redshift: "to_char(date '1970-01-01' + (\(days))::integer, 'YYYY-MM-DD')"
        }
    }

    /// Rounded down; no number is negative.
    package func quotient(_ number: String, _ divisor: Int64) -> String {
        dialect == .clickhouse ? "intDiv(\(number), \(divisor))" : "(\(number)) / \(divisor)"
    }

    // MARK: Events

    /// That a record is of one of these steps, whatever their tests say: what an index of tags finds.
    package func tags(of steps: [Insight.Step]) -> String {
        var names: [String] = []
        var conditions: [String] = []
        for pattern in Set(steps.map(\.pattern)).sorted(by: { $0.text < $1.text }) {
            if let tag = pattern.onlyTag { names.append(dialect.literal(tag)) } else { conditions.append(tag(pattern)) }
        }
        if !names.isEmpty { conditions.insert("tag IN (\(names.joined(separator: ", ")))", at: 0) }
        return conditions.count == 1 ? conditions[0] : "(\(conditions.joined(separator: " OR ")))"
    }

    package func holds(_ step: Insight.Step) -> String {
        ([tag(step.pattern)] + step.tests.map(test)).joined(separator: " AND ")
    }

    /// What a collector records of itself is nobody's event, unless it is asked for.
    package static let notOwn = "NOT (tag = 'daybook' OR tag >= 'daybook.' AND tag < 'daybook/')"

    private func tag(_ pattern: TagPattern) -> String {
        if let tag = pattern.onlyTag { return "tag = \(dialect.literal(tag))" }
        let isDeep = pattern.text.hasSuffix("**")
        let head = String(pattern.text.dropLast(isDeep ? 2 : 1))
        var conditions: [String] = []
        if !OwnRecords.have(head) { conditions.append(Self.notOwn) }
        if !head.isEmpty {
            let range = "tag >= \(dialect.literal(head)) AND tag < \(dialect.literal(head.dropLast() + "/"))"
            // `a.**` is `a` too.
            conditions.append(isDeep ? "(tag = \(dialect.literal(String(head.dropLast()))) OR \(range))" : range)
        }
        if !isDeep {
            let rest = "substr(tag, \(head.unicodeScalars.count + 1))"
            let dot =
                switch dialect {
                case .sqlite: "instr(\(rest), '.')"
                case .clickhouse: "position(substringUTF8(tag, \(head.unicodeScalars.count + 1)), '.')"
                case .postgresql, .redshift: "strpos(\(rest), '.')"
                }
            conditions += ["\(dot) = 0", "tag <> \(dialect.literal(head))"]
        }
        return conditions.isEmpty ? "1 = 1" : "(\(conditions.joined(separator: " AND ")))"
    }

    // MARK: Tests

    private func test(_ test: ColumnTest) -> String {
        if let own = test.ownColumn { return ownTest(own, test.condition) }
        let (own, common) = (member(test.column, "attributes"), member(test.column, "context"))
        if test.condition == .absent { return "NOT (\(own.exists)) AND NOT (\(common.exists))" }
        return "CASE WHEN \(own.exists) THEN \(condition(test.condition, own)) "
            + "WHEN \(common.exists) THEN \(condition(test.condition, common)) ELSE \(never) END"
    }

    /// Of `session`, `installation` and `level`.
    private func ownTest(_ column: String, _ condition: ColumnTest.Condition) -> String {
        func compared(_ sign: String, _ value: ChecklistValue) -> String {
            switch value {
            case .integer(let number) where column == "level": "level \(sign) \(number)"
            case .number(let number) where column == "level": "level \(sign) \(number)"
            case .text(let text) where column != "level": "\(column)\(collation) \(sign) \(dialect.literal(text))"
            default: sign == "<>" ? "\(column) IS NOT NULL" : never
            }
        }
        return judged(condition, exists: "\(column) IS NOT NULL", compared)
    }

    /// A member of a JSON object, and how the engine speaks of it.
    private struct Member {
        /// That it is there, and not null: never NULL itself.
        var exists: String
        /// Its type.
        var type: String
        /// Its value as a text, for one that is.
        var text: String
        /// Its value as a number, for one that is.
        var number: String
        /// That it is true.
        var isTrue: String
    }

    private func member(_ name: String, _ object: String) -> Member {
        switch dialect {
        case .sqlite:
            let path = dialect.literal("$.\"\(name)\"")
            let (value, type) = ("json_extract(\(object), \(path))", "json_type(\(object), \(path))")
            return Member(
                exists: "\(value) IS NOT NULL", type: type, text: value, number: value, isTrue: "\(type) = 'true'")
        case .clickhouse:
            let place = "\(object), \(dialect.literal(name))"
            let type = "JSONType(\(place))"
            return Member(
                exists: "\(type) <> 'Null'", type: type, text: "JSONExtractString(\(place))",
                number: "if(\(type) = 'Int64', toFloat64(JSONExtractInt(\(place))), JSONExtractFloat(\(place)))",
                isTrue: "JSONExtractBool(\(place)) = 1")
        case .postgresql, .redshift:
            let value = "\(object) -> \(dialect.literal(name))"
            let type = "jsonb_typeof(\(value))"
            let text = "(\(object) ->> \(dialect.literal(name)))"
            return Member(
                exists: "coalesce(\(type), 'null') <> 'null'", type: type, text: "\(text) COLLATE \"C\"",
                number: "\(text)::numeric", isTrue: "\(value) = 'true'::jsonb")
        }
    }

    private func condition(_ condition: ColumnTest.Condition, _ member: Member) -> String {
        judged(condition, exists: member.exists) { sign, value in compared(member, sign, value) }
    }

    /// A value of another type is unequal, and neither before nor after.
    private func compared(_ member: Member, _ sign: String, _ value: ChecklistValue) -> String {
        let (types, comparison): ([String], String)
        switch value {
        case .text(let text):
            (types, comparison) = ([typeNames.text], "\(member.text) \(sign) \(dialect.literal(text))")
        case .integer(let number): (types, comparison) = (typeNames.numbers, "\(member.number) \(sign) \(number)")
        case .number(let number): (types, comparison) = (typeNames.numbers, "\(member.number) \(sign) \(number)")
        case .boolean(let flag) where sign == "=" || sign == "<>":
            (types, comparison) = (typeNames.booleans, "\((sign == "=") == flag ? "" : "NOT ")(\(member.isTrue))")
        case .boolean, .structure: return never
        }
        let isOfType = "\(member.type) IN (\(types.map(dialect.literal).joined(separator: ", ")))"
        return "CASE WHEN \(isOfType) THEN \(comparison) ELSE \(sign == "<>" ? always : never) END"
    }

    private func judged(
        _ condition: ColumnTest.Condition, exists: String, _ compared: (String, ChecklistValue) -> String
    ) -> String {
        switch condition {
        case .equal(let value): compared("=", value)
        case .notEqual(let value): compared("<>", value)
        case .less(let value): compared("<", value)
        case .lessOrEqual(let value): compared("<=", value)
        case .greater(let value): compared(">", value)
        case .greaterOrEqual(let value): compared(">=", value)
        case .oneOf(let values): "(\(values.map { compared("=", $0) }.joined(separator: " OR ")))"
        case .exists: exists
        case .absent: "NOT (\(exists))"
        // The parser takes none.
        case .matches: never
        }
    }

    private var typeNames: (text: String, numbers: [String], booleans: [String]) {
        switch dialect {
        case .sqlite: ("text", ["integer", "real"], ["true", "false"])
        case .clickhouse: ("String", ["Int64", "UInt64", "Double"], ["Bool"])
        case .postgresql, .redshift: ("string", ["number"], ["boolean"])
        }
    }

    private var never: String { "1 = 0" }
    private var always: String { "1 = 1" }
    private var collation: String { dialect == .postgresql ? " COLLATE \"C\"" : "" }
}

extension ColumnTest {
    /// The column of `records` that `_session`, `_installation` and `_level` mean.
    fileprivate var ownColumn: String? {
        ["_session": "session", "_installation": "installation", "_level": "level"][column]
    }
}
