import DaybookBase
import DaybookTools

extension StatementReader {
    /// A function's result; also checks its arguments.
    /// - Parameter whole: its range, name included.
    mutating func function(
        _ name: String, _ inside: Range<Int>, _ whole: Range<Int>, _ scope: Scope
    ) -> SQLOperand {
        if name == "extract", let from = inside.first(where: { tokens[$0].isWord("from") }) {
            var index = from + 1
            let time = expression(&index, until: inside.upperBound, scope)
            return SQLOperand(
                kinds: [.number(tokens[inside.lowerBound].isWord("epoch") ? .seconds : nil)],
                isConstant: time.isConstant)
        }
        let arguments = arguments(inside, scope)
        let places = split(inside) { $0.kind == .comma }
        if tables.isSQLite {
            if let answer = SQLFunctions.time(name, arguments) {
                let first = name == "strftime" ? 1 : 0
                if arguments.count > first { checkTime(name, arguments, first, places[first]) }
                return answer
            }
            switch name {
            case "substr", "substring": return SQLFunctions.part(arguments)
            case "json_extract", "json_type":
                if arguments.count == 2 {
                    let member = member(of: arguments[0], arguments[1], whole, places[1].lowerBound, isCall: true)
                    if name == "json_extract" { return member }
                }
            default: break
            }
        }
        return SQLFunctions.answer(name, arguments, tables.dialect)
    }

    /// SQLite's time functions read a number as a Julian day, or as seconds if requested, and return NULL for one out
    /// of range.
    private mutating func checkTime(_ name: String, _ arguments: [SQLOperand], _ first: Int, _ place: Range<Int>) {
        guard case .number(.since1970(let nanoseconds)?)? = arguments[first].only else { return }
        let modifiers = arguments.dropFirst(first + 1).compactMap {
            if case .text(let text)? = $0.only { text.lowercased() } else { nil }
        }
        let isSeconds = modifiers.contains("unixepoch") || modifiers.contains("auto")
        if isSeconds, nanoseconds == 1e9 { return }
        // A computed modifier may request either.
        if !isSeconds, modifiers.count < arguments.count - first - 1 { return }
        let written = text(place)
        let seconds = Self.converted(written, from: .since1970(nanoseconds), to: .seconds)
        let format = first == 1 ? "'%Y-%m-%dT%H:%M:%S', " : ""
        tell(
            at: place.lowerBound,
            "`\(written)` counts \(SQLUnit.since1970(nanoseconds).words), and `\(name)` reads "
                + (isSeconds ? "seconds" : "a number as a Julian day") + ", so it answers NULL (write "
                + "`\(name)(\(format)\(seconds), 'unixepoch')`)")
    }

    /// An expression converted to another time unit.
    static func converted(_ written: String, from unit: SQLUnit, to other: SQLUnit) -> String {
        guard case .since1970(let one) = unit, case .since1970(let two) = other, one != two else { return written }
        let isSum = written.contains(" ") && !written.hasSuffix(")")
        let text = isSum ? "(\(written))" : written
        let factor = one > two ? one / two : two / one
        guard let whole = Int64(exactly: factor.rounded()) else { return written }
        return "\(text) \(one > two ? "*" : "/") \(whole)"
    }

    // MARK: Members of JSON

    /// The result of `object -> 'name'`, `object ->> 'name'` or `json_extract(object, '$.name')`.
    mutating func member(
        of object: SQLOperand, _ path: SQLOperand, _ whole: Range<Int>, _ place: Int, isJSON: Bool = false,
        isCall: Bool = false
    ) -> SQLOperand {
        var answer = SQLOperand()
        if isJSON, tables.isSQLite { answer.kinds = [.json] }
        guard object.only == .object, case .text(let path)? = path.only else { return answer }
        let (name, isDotted) = tables.isSQLite ? Self.member(path) : (path, false)
        if isDotted, Self.isKnown(name, isContext: object.name == "context") {
            let write = "'$.\"\(name)\"'"
            tell(
                at: place,
                "`\(text(whole))` reads a member within `\(name.prefix { $0 != "." })`, and is NULL: `\(name)` is one name"
                    + " (write " + (isCall ? write : "`\(object.name ?? "") \(isJSON ? "->" : "->>") \(write)`") + ")")
        }
        answer.shown = [name]
        return answer
    }

    /// The first name in a SQLite JSON path, and whether SQLite treats its dots as steps.
    private static func member(_ path: String) -> (name: String, isDotted: Bool) {
        var rest = path[...]
        if rest.first == "$" {
            rest = rest.dropFirst()
            guard rest.first == "." else { return ("", false) }
            rest = rest.dropFirst()
        }
        if rest.first == "\"" {
            rest = rest.dropFirst()
            return (String(rest.prefix { $0 != "\"" }), false)
        }
        let name = String(rest.prefix { $0 != "[" })
        return (name, name.contains("."))
    }

    /// Whether a dotted name is one that senders use, rather than steps into an object.
    private static func isKnown(_ name: String, isContext: Bool) -> Bool {
        let known: Set = [
            WireName.exceptionType, WireName.exceptionMessage, "exception.stacktrace", WireName.httpMethod,
            WireName.olderHTTPMethod, "http.response.status_code", "http.status_code", "url.full", "url.path",
            "error.type",
            "otel.status_code", "\(WireName.session)", WireName.installation, "\(WireName.file)",
            "\(WireName.function)",
            "\(WireName.line)",
        ]
        let namespaces: Set<Substring> = [
            "service", "device", "os", "app", "telemetry", "host", "process", "deployment", "session", "daybook",
            "user",
            "browser", "cloud", "container", "k8s",
        ]
        return known.contains(name) || isContext && namespaces.contains(name.prefix { $0 != "." })
            || name.hasPrefix(WireName.ownPrefix)
    }
}
