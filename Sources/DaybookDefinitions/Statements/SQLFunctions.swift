import DaybookBase

/// The result kinds of functions and operators that affect comparisons.
enum SQLFunctions {
    private static let numbers: Set = [
        "count", "sum", "total", "length", "char_length", "octet_length", "instr", "position", "strpos", "unicode",
        "sign",
        "json_array_length", "random", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile",
        "changes", "exp", "ln", "log", "log10", "sqrt", "power", "pow", "mod", "uniq", "countif", "sumif",
    ]
    /// Functions that preserve a number's unit.
    private static let same: Set = [
        "min", "max", "avg", "coalesce", "ifnull", "nullif", "greatest", "least", "first_value", "last_value", "lag",
        "lead", "nth_value", "any_value", "any", "median", "percentile_cont", "stddev",
    ]
    private static let rounded: Set = [
        "abs", "round", "floor", "ceil", "ceiling", "trunc", "toint64", "touint64", "tofloat64",
    ]
    private static let texts: Set = [
        "replace", "trim", "ltrim", "rtrim", "printf", "format", "hex", "quote", "char", "group_concat", "string_agg",
        "concat", "concat_ws", "json_object", "json_array", "json_quote", "json_group_array", "json_group_object",
    ]
    private static let words = [
        "typeof": ["null", "integer", "real", "text", "blob"],
        "json_type": ["null", "true", "false", "integer", "real", "text", "array", "object"],
    ]
    private static let moments: Set = [
        "now", "now64", "today", "yesterday", "todate", "todatetime", "todatetime64", "to_timestamp", "date_trunc",
        "fromunixtimestamp64nano", "fromunixtimestamp", "tostartofhour", "tostartofday", "clock_timestamp",
        "statement_timestamp", "make_timestamptz",
    ]

    /// The result of a function, as far as it does not depend on its arguments' texts.
    static func answer(_ name: String, _ arguments: [SQLOperand], _ dialect: SQLDialect) -> SQLOperand {
        var answer = SQLOperand(isConstant: arguments.allSatisfy(\.isConstant))
        if numbers.contains(name) {
            answer.kinds = [.number(nil)]
        } else if name == "tounixtimestamp" {
            answer.kinds = [.number(.seconds)]
        } else if moments.contains(name) {
            answer.kinds = [.moment]
        } else if rounded.contains(name), let first = arguments.first {
            return first.mapped { $0.isNumber ? $0 : nil }
        } else if same.contains(name) {
            let values =
                name == "nullif" || name.hasPrefix("la") || name.contains("_") ? Array(arguments.prefix(1)) : arguments
            var any = SQLOperand.any(of: values)
            any.affinity = .none
            return any
        } else if name == "iif" || name == "if", arguments.count == 3 {
            var any = SQLOperand.any(of: Array(arguments.dropFirst()))
            any.affinity = .none
            any.isConstant = false
            return any
        } else if name == "lower" || name == "upper", let first = arguments.first {
            return cased(first, isLower: name == "lower")
        } else if dialect == .sqlite {
            if texts.contains(name) { answer.kinds = [.anyText] }
            if let words = words[name] { answer.kinds = words.map { SQLKind.text($0) } }
            if ["replace", "trim", "ltrim", "rtrim"].contains(name) { answer.shown = arguments.first?.shown ?? [] }
        }
        return answer
    }

    private static func cased(_ operand: SQLOperand, isLower: Bool) -> SQLOperand {
        guard operand.kinds != nil else {
            var result = operand
            (result.kinds, result.affinity) = ([isLower ? .small : .capital], .none)
            return result
        }
        return operand.mapped { kind in
            switch kind {
            case .text(let text): .text(isLower ? text.lowercased() : text.uppercased())
            case .number, .level, .literal, .digits: .digits
            case .form, .json, .object: .anyText
            case .small, .capital, .anyText: isLower ? .small : .capital
            case .moment: nil
            }
        }
    }

    /// The meaning of a bare word that is not a column.
    static func constant(_ word: String, _ dialect: SQLDialect) -> SQLOperand {
        let form: SQLForm
        switch word {
        case "current_timestamp": form = .moment
        case "current_date": form = .day
        case "current_time": form = .clock
        case "localtimestamp": return SQLOperand(kinds: [.moment], isConstant: true)
        default: return .unknown
        }
        return SQLOperand(kinds: [dialect == .sqlite ? .form(form) : .moment], isConstant: true)
    }

    /// The results of SQLite's time functions.
    /// - Parameter arguments: their kinds, including texts.
    static func time(_ name: String, _ arguments: [SQLOperand]) -> SQLOperand? {
        var answer = SQLOperand(isConstant: arguments.allSatisfy(\.isConstant))
        let modifiers = arguments.compactMap { if case .text(let text)? = $0.only { text.lowercased() } else { nil } }
        let fraction = modifiers.contains("subsec") || modifiers.contains("subsecond") ? ".000" : ""
        switch name {
        case "date": answer.kinds = [.form(.day)]
        case "time": answer.kinds = [.form(SQLForm(marks: SQLForm.clock.marks + fraction))]
        case "datetime": answer.kinds = [.form(SQLForm(marks: SQLForm.moment.marks + fraction))]
        case "unixepoch": answer.kinds = [.number(.seconds)]
        case "julianday": answer.kinds = [.number(.julianDays)]
        case "strftime":
            guard case .text(let format)? = arguments.first?.only else {
                answer.kinds = [.anyText]
                break
            }
            answer.kinds = [SQLForm(format: format).map { SQLKind.form($0) } ?? .anyText]
        default: return nil
        }
        return answer
    }

    /// The result of `substr(text, start, count)`.
    static func part(_ arguments: [SQLOperand]) -> SQLOperand {
        guard let first = arguments.first else { return .unknown }
        let bounds = arguments.dropFirst().map { operand -> Int? in
            if case .literal(let number)? = operand.only { Int(exactly: number) } else { nil }
        }
        var answer = first
        (answer.kinds, answer.affinity, answer.name) = ([.anyText], .none, nil)
        if case .form(let form)? = first.only, let start = bounds.first ?? nil, start > 0,
            bounds.count == 1 || bounds.count == 2 && (bounds[1] ?? -1) >= 0
        {
            answer.kinds = [.form(form.part(from: start, count: bounds.count == 2 ? bounds[1] ?? 0 : form.marks.count))]
        } else if first.kinds?.contains(.small) == true || first.kinds?.contains(.capital) == true {
            answer.kinds = first.kinds
        }
        return answer
    }

    static func cast(_ operand: SQLOperand, to type: String, _ dialect: SQLDialect) -> SQLOperand {
        var result = operand
        result.parts = []
        if type.contains("int") || ["real", "double", "float", "numeric", "decimal", "float8", "number"].contains(type)
        {
            result.affinity = .number
            result.kinds = (operand.kinds ?? [.anyText]).map { kind -> SQLKind in
                switch kind {
                case .form(.seconds): .number(.seconds)
                case .number, .level, .literal: kind
                case .text(let text) where dialect != .sqlite: Double(text).map { SQLKind.literal($0) } ?? .number(nil)
                default: .number(nil)
                }
            }
        } else if ["text", "varchar", "char", "string", "character", "clob", "nvarchar"].contains(type) {
            result.affinity = .text
            result.kinds = (operand.kinds ?? [.anyText]).map { kind -> SQLKind in
                switch kind {
                case .literal, .number, .level, .digits: .digits
                case .moment: .anyText
                default: kind
                }
            }
        } else {
            let isTime = type.hasPrefix("time") || type == "date"
            result.kinds = isTime && dialect != .sqlite ? [.moment] : nil
            result.affinity = .none
        }
        return result
    }

    static func arithmetic(
        _ left: SQLOperand, _ sign: String, _ right: SQLOperand, _ dialect: SQLDialect
    ) -> SQLOperand {
        var result = SQLOperand(isConstant: left.isConstant && right.isConstant)
        result.name = left.name ?? right.name
        if left.only == .moment || right.only == .moment {
            // With an interval, or a number of seconds.
            result.kinds = left.only == right.only ? nil : [.moment]
            return result
        }
        guard let one = left.only, let two = right.only else {
            result.kinds = dialect == .sqlite || left.isNumber && right.isNumber ? [.number(nil)] : nil
            return result
        }
        guard dialect == .sqlite || one.isNumber && two.isNumber else { return result }
        result.kinds = [value(number(one), sign, number(two))]
        return result
    }

    /// How SQLite converts a text for arithmetic.
    private static func number(_ kind: SQLKind) -> SQLKind {
        switch kind {
        case .form(.seconds): .number(.seconds)
        case .text(let text): Double(text).map { SQLKind.literal($0) } ?? .number(nil)
        default: kind.isNumber ? kind : .number(nil)
        }
    }

    private static func value(_ one: SQLKind, _ sign: String, _ two: SQLKind) -> SQLKind {
        switch (one, sign, two) {
        case (.literal(let one), "+", .literal(let two)): .literal(one + two)
        case (.literal(let one), "-", .literal(let two)): .literal(one - two)
        case (.literal(let one), "*", .literal(let two)): .literal(one * two)
        case (.literal(let one), "/", .literal(let two)) where two != 0: .literal(one / two)
        case (.number(.julianDays?), "-", .literal(SQLUnit.epoch)): .number(.since1970(86_400e9))
        case (.number(let unit?), "*", .literal(let factor)), (.literal(let factor), "*", .number(let unit?)):
            .number(scaled(unit, by: 1 / factor))
        case (.number(let unit?), "/", .literal(let factor)): .number(scaled(unit, by: factor))
        case (.number(let unit?), "+", .literal), (.number(let unit?), "-", .literal),
            (.literal, "+", .number(let unit?)),
            (.number(let unit?), "+", .number(nil)), (.number(let unit?), "-", .number(nil)),
            (.number(nil), "+", .number(let unit?)):
            .number(unit)
        default: .number(nil)
        }
    }

    private static func scaled(_ unit: SQLUnit, by factor: Double) -> SQLUnit? {
        guard case .since1970(let nanoseconds) = unit, factor > 0, factor.isFinite else { return nil }
        let scaled = nanoseconds * factor
        // Rounding errors of divisions.
        return .since1970(scaled > 0.5 ? scaled.rounded() : scaled)
    }
}
