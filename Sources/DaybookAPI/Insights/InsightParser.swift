import DaybookBase
import DaybookChecklist
import DaybookTools

extension Insight {
    /// Parses an insight: `a.b -> a.c within 1h joining session by version`, `retention a.b by week`, `path after a.b`.
    /// - Throws: ``InsightError`` for the first problem.
    package init(parsing text: String) throws(InsightError) {
        do throws(ItemSyntaxError) {
            var parser = InsightParser(cursor: try TokenCursor(plain: text, name: "insight"))
            self = try parser.insight()
        } catch {
            throw InsightError(column: error.offset + 1, message: error.message, hint: error.hint)
        }
    }
}

/// The grammar of docs/formats/insight.md. Values and conditions are those of checklists.
private struct InsightParser {
    private static let nanosecondsOfDay = 86_400_000_000_000.0
    private static let longUnits = [("d", nanosecondsOfDay), ("w", 7 * nanosecondsOfDay)]

    private var cursor: TokenCursor
    private var seen: Set<String> = []
    /// Days are resolved once the zone is known.
    private var times: [(clause: String, text: String, offset: Int)] = []

    init(cursor: TokenCursor) { self.cursor = cursor }

    mutating func insight() throws(ItemSyntaxError) -> Insight {
        var insight = try question()
        let start = cursor.offset
        while cursor.current != nil { try readClause(into: &insight) }
        for (clause, text, offset) in times {
            let time = try moment(text, zone: insight.zone, at: offset)
            if clause == "since" { insight.since = time } else { insight.until = time }
        }
        try check(insight, clausesAt: start)
        return insight
    }

    private mutating func question() throws(ItemSyntaxError) -> Insight {
        switch cursor.word {
        case "retention":
            cursor.advance()
            let first = try step()
            let returning = cursor.take(.word("returning")) ? try step() : first
            var insight = Insight(
                question: .retention(first: first, returning: returning, periods: 8), joining: .installation)
            insight.period = .day
            return insight
        case "path":
            cursor.advance()
            guard cursor.take(.word("after")) else { throw cursor.expected("`after` and an event") }
            var insight = Insight(question: .path(after: try step(), length: 1), joining: .session)
            insight.top = 10
            return insight
        case "count" where isFollowedByEvent:
            cursor.advance()
            return Insight(question: .count(try step()), joining: .session)
        case "measure" where isFollowedByEvent:
            cursor.advance()
            let number = try number()
            guard cursor.take(.word("of")) else { throw cursor.expected("`of` and an event") }
            return Insight(question: .measure(number, of: try step()), joining: .session)
        case "differ" where isFollowedByEvent:
            cursor.advance()
            let first = try step()
            guard cursor.take(.word("from")) else { throw cursor.expected("`from` and an event") }
            return Insight(question: .differ(first, from: try step(), by: []), joining: .session)
        default:
            var steps = [try step()]
            while try takeArrow() {
                if steps.count == Insight.mostSteps {
                    throw error("a funnel has at most \(Insight.mostSteps) steps")
                }
                steps.append(try step())
            }
            return Insight(question: .funnel(steps), joining: .session)
        }
    }

    /// An event can be called `count`: then an arrow or a test follows.
    private var isFollowedByEvent: Bool {
        var next = cursor
        next.advance()
        return next.word.map { $0 != "-" } ?? (next.current == nil)
    }

    private mutating func number() throws(ItemSyntaxError) -> Insight.Number {
        let name = try cursor.column()
        return name == Insight.Number.durationName ? .duration : .column(name)
    }

    /// `->` is a word and a sign, because words may contain hyphens.
    private mutating func takeArrow() throws(ItemSyntaxError) -> Bool {
        guard cursor.take(.word("-")) else {
            if case .sign(">")? = cursor.current?.kind { throw error("put a blank before `->`") }
            return false
        }
        guard cursor.take(.sign(">")) else { throw cursor.expected("`->`") }
        return true
    }

    private mutating func step() throws(ItemSyntaxError) -> Insight.Step {
        guard let word = cursor.word, word != "-" else {
            throw cursor.expected("an event", hint: "such as search.search or recipe.*")
        }
        let pattern: TagPattern
        do throws(TagPattern.Problem) {
            pattern = try TagPattern(word)
        } catch {
            throw ItemSyntaxError(offset: cursor.offset, message: "`\(word)` is not an event: \(error)")
        }
        cursor.advance()
        var step = Insight.Step(pattern: pattern, tests: [])
        if cursor.take(.open) {
            let start = cursor.offset
            step.tests = try cursor.tests()
            if step.tests.contains(where: { if case .matches = $0.condition { true } else { false } }) {
                throw ItemSyntaxError(
                    offset: start, message: "an insight has no `matches`, because the database evaluates it",
                    hint: "= != < <= > >= in (…) exists absent")
            }
            guard cursor.take(.close) else { throw cursor.expected("`and` or `)`") }
        }
        return step
    }

    // MARK: Clauses

    private static let clauses = [
        "within", "without", "in", "joining", "by", "since", "until", "last", "zone", "for", "steps", "top",
    ]

    private mutating func readClause(into insight: inout Insight) throws(ItemSyntaxError) {
        guard let word = cursor.word, Self.clauses.contains(word) else {
            if cursor.word == "-" {
                throw error(
                    "a step after a clause", hint: "clauses apply to the whole insight: write them after the last step")
            }
            let near = cursor.word.flatMap { NearestName.of($0, among: Self.clauses) }
            throw cursor.expected(
                "a clause", hint: near.map { "did you mean `\($0)`?" } ?? "within, joining, by, last …")
        }
        if !seen.insert(word).inserted { throw error("a second `\(word)`", hint: "each clause may occur once") }
        let start = cursor.offset
        cursor.advance()
        switch word {
        case "within": insight.within = try cursor.duration(and: Self.longUnits)
        case "last": insight.last = try cursor.duration(and: Self.longUnits)
        case "joining": insight.joining = try joining()
        case "without": insight.excluded = try step()
        case "in":
            if cursor.take(.word("buckets")) {
                insight.isInBuckets = true
            } else if cursor.take(.word("any")), cursor.take(.word("order")) {
                insight.isInAnyOrder = true
            } else {
                throw cursor.expected("`any order` or `buckets`")
            }
        case "by": try readGroups(into: &insight)
        case "since", "until": times.append((word, try textOrWord("a day, such as 2026-11-01"), start))
        case "zone": insight.zone = try zone()
        default: try readNumber(of: word, at: start, into: &insight)
        }
    }

    private mutating func joining() throws(ItemSyntaxError) -> Insight.JoinKey {
        switch try cursor.column() {
        case "session", "_session": .session
        case "installation", "_installation": .installation
        case let name: .column(name)
        }
    }

    private mutating func readGroups(into insight: inout Insight) throws(ItemSyntaxError) {
        if case .differ(let first, let second, _) = insight.question {
            return insight.question = .differ(first, from: second, by: try columns())
        }
        var hasPeriod = false
        repeat {
            switch cursor.word {
            case "version" where !insight.isByVersion:
                cursor.advance()
                insight.isByVersion = true
                if !isAtClauseIn, cursor.take(.word("in")) { insight.versions = try versions() }
            case "day" where !hasPeriod, "week" where !hasPeriod:
                insight.period = cursor.word == "day" ? .day : .week
                hasPeriod = true
                cursor.advance()
            default: try readParameter(into: &insight)
            }
        } while cursor.take(.comma)
    }

    /// `in any order` or `in buckets` can follow `by version`.
    private var isAtClauseIn: Bool {
        var next = cursor
        return next.take(.word("in")) && ["any", "buckets"].contains(next.word)
    }

    private mutating func readParameter(into insight: inout Insight) throws(ItemSyntaxError) {
        guard cursor.word?.hasPrefix("_") == false, !["version", "day", "week"].contains(cursor.word),
            insight.parameter == nil
        else { throw cursor.expected("`version`, `day`, `week` or one parameter") }
        insight.parameter = try cursor.column()
    }

    /// What two events may differ in.
    private mutating func columns() throws(ItemSyntaxError) -> [String] {
        var names: [String] = []
        repeat {
            guard cursor.word?.hasPrefix("_") == false else { throw cursor.expected("`version` or a parameter") }
            if names.count == Insight.mostColumns { throw error("a difference is by at most \(Insight.mostColumns)") }
            if names.contains(cursor.word ?? "") { throw error("a second `\(cursor.word ?? "")`") }
            names.append(try cursor.column())
        } while cursor.take(.comma)
        return names
    }

    private mutating func versions() throws(ItemSyntaxError) -> [String] {
        let start = cursor.offset
        var versions: [String] = []
        for value in try cursor.valueList() {
            guard case .text(let version) = value else {
                throw ItemSyntaxError(offset: start, message: "write a version in \"quotes\"")
            }
            if !versions.contains(version) { versions.append(version) }
        }
        return versions
    }

    private mutating func readNumber(
        of clause: String, at start: Int, into insight: inout Insight
    ) throws(ItemSyntaxError) {
        func number(_ most: Int) throws(ItemSyntaxError) -> Int {
            guard let word = cursor.word, let number = Int(word), (1...most).contains(number) else {
                throw cursor.expected("a whole number from 1 to \(most)")
            }
            cursor.advance()
            return number
        }
        switch (clause, insight.question) {
        case ("for", .retention(let first, let returning, _)):
            insight.question = .retention(
                first: first, returning: returning, periods: try number(Insight.mostPeriods))
        case ("steps", .path(let step, _)):
            insight.question = .path(after: step, length: try number(Insight.mostPathSteps))
        case ("top", _): insight.top = try number(Insight.mostTop)
        default:
            throw ItemSyntaxError(
                offset: start,
                message: "`\(clause)` belongs to \(clause == "for" ? "`retention`" : "`path`"), not here")
        }
    }

    // MARK: Times

    private mutating func textOrWord(_ what: String) throws(ItemSyntaxError) -> String {
        switch cursor.current?.kind {
        case .word(let text), .text(let text):
            cursor.advance()
            return text
        default: throw cursor.expected(what)
        }
    }

    /// `"+09:00"`, or `"Z"`.
    private mutating func zone() throws(ItemSyntaxError) -> Int {
        let start = cursor.offset
        let text = try textOrWord("a zone, such as \"+09:00\"")
        guard let midnight = Timestamp(rfc3339: "1970-01-02T00:00:00\(text)")?.nanoseconds else {
            throw ItemSyntaxError(offset: start, message: "`\(text)` is not a zone", hint: "such as \"+09:00\"")
        }
        return Int(86_400 - midnight / 1_000_000_000)
    }

    /// Midnight of a day in the zone, or a time.
    private func moment(_ text: String, zone: Int, at offset: Int) throws(ItemSyntaxError) -> Int64 {
        let isDay = text.utf8.count == 10
        guard let time = Timestamp(rfc3339: isDay ? "\(text)T00:00:00\(Insight.text(ofZone: zone))" : text) else {
            throw ItemSyntaxError(
                offset: offset, message: "`\(text)` is neither a day nor a time",
                hint: "2026-11-01 or \"2026-11-01T10:00:00Z\"")
        }
        return time.nanoseconds
    }

    // MARK: Conflicts

    private func check(_ insight: Insight, clausesAt start: Int) throws(ItemSyntaxError) {
        func fail(_ message: String, _ hint: String? = nil) -> ItemSyntaxError {
            ItemSyntaxError(offset: start, message: message, hint: hint)
        }
        if insight.last != nil, insight.since != nil { throw fail("`last` and `since`", "leave one of them out") }
        if let since = insight.since, let until = insight.until, since >= until {
            throw fail("`until` is not after `since`")
        }
        if case .funnel(let steps) = insight.question {
            if steps.count < 2 {
                throw fail("a funnel of one step", "add `-> EVENT`, or write `count` before it")
            }
        } else if insight.isInAnyOrder || insight.excluded != nil {
            throw fail("`\(insight.isInAnyOrder ? "in any order" : "without")` belongs to a funnel, not here")
        }
        if insight.isInBuckets {
            guard case .measure = insight.question else { throw fail("`in buckets` belongs to `measure`, not here") }
        }
        if seen.contains("top"), insight.parameter == nil {
            switch insight.question {
            case .path, .differ: break
            case .funnel, .retention, .count, .measure:
                throw fail("`top` without a parameter", "name what has the most: by order")
            }
        }
        switch insight.question {
        case .funnel: break
        case .retention:
            if insight.within != nil {
                throw fail("`within` in a retention", "its periods are days or weeks: by week for 8")
            }
            if insight.isByVersion {
                throw fail("a retention `by version`", "people update: they have no single version")
            }
        case .path:
            if insight.period != nil { throw fail("a path by day or week", "narrow it by `since` and `until`") }
        case .count, .measure, .differ:
            if insight.within != nil { throw fail("`within` belongs to a funnel or a path, not here") }
            if insight.question.isOfEvents, seen.contains("joining") {
                throw fail("`joining`, though it takes each event by itself", "write `count` to count people")
            }
            if case .differ(_, _, let columns) = insight.question, columns.isEmpty {
                throw fail("a difference without `by`", "name what they may differ in: by version, order")
            }
        }
    }

    private func error(_ message: String, hint: String? = nil) -> ItemSyntaxError {
        ItemSyntaxError(offset: cursor.offset, message: message, hint: hint)
    }
}
