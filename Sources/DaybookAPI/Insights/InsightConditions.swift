import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookTools

/// Steps and columns as SQL over the view `records`. As in checklists, a record's own value precedes its context's.
package struct InsightConditions {
    package let dialect: SQLDialect

    package init(dialect: SQLDialect) { self.dialect = dialect }

    /// A text; NULL if absent.
    package func person(_ joining: Insight.JoinKey) -> String {
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

    package var version: String { "coalesce(\(dialect.recordVersion), '')" }

    package func date(_ days: String) -> String {
        switch dialect {
        case .sqlite: "date((\(days)) * 86400, 'unixepoch')"
        case .clickhouse: "toString(addDays(toDate32('1970-01-01'), \(days)))"
        case .postgresql, .redshift: "to_char(date '1970-01-01' + (\(days))::integer, 'YYYY-MM-DD')"
        }
    }

    /// A column's text, number or boolean as text; empty without one.
    package func label(_ column: String) -> String {
        let (own, common) = (member(column, "attributes"), member(column, "context"))
        let text = "CASE WHEN \(own.exists) THEN \(label(own)) ELSE \(label(common)) END"
        return "coalesce(\(text), '')" + collation
    }

    private func label(_ member: Member) -> String {
        let names = typeNames
        func types(_ types: [String]) -> String { types.map(dialect.literal).joined(separator: ", ") }
        return "CASE WHEN \(member.type) = \(types([names.text])) THEN \(member.text)"
            + " WHEN \(member.type) IN (\(types(names.numbers + names.booleans))) THEN \(member.written) END"
    }

    /// A number; NULL without one.
    package func number(_ number: Insight.Number) -> String {
        guard case .column(let column) = number else { return double("duration") }
        let (own, common) = (member(column, "attributes"), member(column, "context"))
        return "CASE WHEN \(own.exists) THEN \(numberOf(own)) ELSE \(numberOf(common)) END"
    }

    private func numberOf(_ member: Member) -> String {
        let types = typeNames.numbers.map(dialect.literal).joined(separator: ", ")
        return "CASE WHEN \(member.type) IN (\(types)) THEN \(double(member.number)) END"
    }

    /// A number as every engine reads it.
    static func literal(_ number: Double) -> String {
        number.magnitude < 1 ? String(number) : "\(Int64(number)).0"
    }

    func double(_ number: String) -> String {
        switch dialect {
        case .sqlite: "CAST(\(number) AS REAL)"
        case .clickhouse: "CAST(\(number) AS Nullable(Float64))"
        case .postgresql, .redshift: "(\(number))::double precision"
        }
    }

    /// A number from 0 as a text that sorts like it.
    func padded(_ number: String) -> String {
        switch dialect {
        case .sqlite: "substr('\(String(repeating: "0", count: 18))' || \(number), -19)"
        case .clickhouse: "leftPad(toString(\(number)), 19, '0')"
        case .postgresql, .redshift: "lpad(\(number)::text, 19, '0')"
        }
    }

    /// A text that sorts as events do, and ends with the label of a column.
    func place(labelled column: String) -> String {
        [padded("time"), padded("id"), label(column)].joined(separator: " || ")
    }

    /// The time of a place.
    func time(ofPlace place: String) -> String {
        switch dialect {
        case .sqlite: "CAST(substr(\(place), 1, 19) AS INTEGER)"
        case .clickhouse: "toInt64(substring(\(place), 1, 19))"
        case .postgresql, .redshift: "substr(\(place), 1, 19)::bigint"
        }
    }

    func label(ofPlace place: String) -> String { "substr(\(place), 39)" }

    /// An integer quotient of non-negative numbers.
    package func quotient(_ number: String, _ divisor: Int64) -> String {
        dialect == .clickhouse ? "intDiv(\(number), \(divisor))" : "(\(number)) / \(divisor)"
    }

    // MARK: Events

    /// Matches only the tags of steps, so that an index on tags applies.
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

    /// Excludes the collector's own records, unless requested.
    package static let notOwn = "NOT (tag = 'daybook' OR tag >= 'daybook.' AND tag < 'daybook/')"

    private func tag(_ pattern: TagPattern) -> String {
        if let tag = pattern.onlyTag { return "tag = \(dialect.literal(tag))" }
        let isDeep = pattern.text.hasSuffix("**")
        let head = String(pattern.text.dropLast(isDeep ? 2 : 1))
        var conditions: [String] = []
        if !OwnRecords.have(head) { conditions.append(Self.notOwn) }
        if !head.isEmpty {
            let range = "tag >= \(dialect.literal(head)) AND tag < \(dialect.literal(head.dropLast() + "/"))"
            // `a.**` also matches `a`.
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

    /// For `session`, `installation` and `level`.
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

    /// A member of a JSON object, as SQL expressions.
    private struct Member {
        /// Whether it is present and not null; never NULL itself.
        var exists: String
        var type: String
        var text: String
        var number: String
        var isTrue: String
        /// A number or a boolean as it is written.
        var written: String
    }

    private func member(_ name: String, _ object: String) -> Member {
        switch dialect {
        case .sqlite:
            let path = dialect.literal("$.\"\(name)\"")
            let (value, type) = ("json_extract(\(object), \(path))", "json_type(\(object), \(path))")
            return Member(
                exists: "\(value) IS NOT NULL", type: type, text: value, number: value, isTrue: "\(type) = 'true'",
                written: "\(object) -> \(path)")
        case .clickhouse:
            let place = "\(object), \(dialect.literal(name))"
            let type = "JSONType(\(place))"
            return Member(
                exists: "\(type) <> 'Null'", type: type, text: "JSONExtractString(\(place))",
                number: "if(\(type) = 'Int64', toFloat64(JSONExtractInt(\(place))), JSONExtractFloat(\(place)))",
                isTrue: "JSONExtractBool(\(place)) = 1", written: "JSONExtractRaw(\(place))")
        case .postgresql, .redshift:
            let value = "\(object) -> \(dialect.literal(name))"
            let type = "jsonb_typeof(\(value))"
            let text = "(\(object) ->> \(dialect.literal(name)))"
            return Member(
                exists: "coalesce(\(type), 'null') <> 'null'", type: type, text: "\(text) COLLATE \"C\"",
                number: "\(text)::numeric", isTrue: "\(value) = 'true'::jsonb", written: text)
        }
    }

    private func condition(_ condition: ColumnTest.Condition, _ member: Member) -> String {
        judged(condition, exists: member.exists) { sign, value in compared(member, sign, value) }
    }

    /// A value of another type is unequal, and neither less nor greater.
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
        // The parser rejects it.
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
    var collation: String { dialect == .postgresql ? " COLLATE \"C\"" : "" }
}

extension ColumnTest {
    fileprivate var ownColumn: String? {
        ["_session": "session", "_installation": "installation", "_level": "level"][column]
    }
}
