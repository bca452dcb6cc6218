import DaybookAPI
import DaybookBase
import DaybookInspector
import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

extension ConformanceCase {
    static let insights: [ConformanceCase] = [
        ConformanceCase(name: "An insight covers the future only if it starts there") { _ async throws in
            let now: Int64 = 1_795_000_000_000_000_000
            for (clause, isOfFuture) in [("since 2090-01-01", true), ("since 2026-01-01", false), ("", false)] {
                let sql = try Insight(parsing: "a.b -> a.c within 1h \(clause)").sql(.sqlite, now: now)
                #expect(sql.contains("time < 9000000000000000000") == isOfFuture, "\(clause)")
                #expect(sql.contains("time < \(now + 86_400_000_000_000)") == !isOfFuture, "\(clause)")
            }
        },
        ConformanceCase(name: "Insights agree with a brute-force model") {
            store async throws in
            var random = SeededGenerator(seed: 20_261_123)
            let records = SampledRecord.many(120, &random)
            try await store.append(RecordBatch(rows: records.map(\.row)))
            let dialect = try #require(store.dialect)
            let model = NaiveInsights(records: records.sorted { $0.row.time < $1.row.time })
            // As the page and the commands ask; none of these uses the private column.
            let masked = MaskedStatements(store, MaskingPolicy(private: ["secret"]))
            for number in 0..<54 {
                let (text, expected) = model.sampled(&random)
                let insight = try Insight(parsing: text)
                #expect(try Insight(parsing: insight.description).description == insight.description)
                var limits = QueryLimits()
                limits.time = .seconds(20)
                let statements: any StatementRunner = number.isMultiple(of: 2) ? masked : store
                let result = try await statements.query(insight.sql(dialect, now: 0), limits: limits)
                #expect(result.texts == expected.sorted(), "\(text)\n\(insight.sql(dialect, now: 0))")
                guard let columns = store as? any ColumnarStore else { continue }
                let folded = try await columns.fold { source throws(StoreError) in
                    try insight.answer(from: source, now: 0)
                }
                #expect(folded.columns == result.columns)
                #expect(folded.texts == expected.sorted(), "\(text), from columns")
            }
        },
        ConformanceCase(name: "Tests in an insight's steps compare values as checklists do") { store async throws in
            let values = [
                #"{"v":5}"#, #"{"v":5.5}"#, #"{"v":"5"}"#, #"{"v":true}"#, #"{"v":null}"#, "{}", #"{"v":[1]}"#,
                #"{"v":"卵 'a' \\ b"}"#, #"{"v":-1}"#, #"{"v":false}"#, #"{"v":"a"}"#,
            ]
            let rows = values.enumerated().flatMap { index, value in
                [
                    RecordRow.sample(index, tag: "a.b", attributes: value, session: "s\(index)"),
                    .sample(100 + index, tag: "a.c", session: "s\(index)"),
                ]
            }
            let common = RecordRow.sample(50, tag: "a.b", session: "common").with { $0.context = #"{"v":5}"# }
            try await store.append(RecordBatch(rows: rows + [common, .sample(151, tag: "a.c", session: "common")]))
            let dialect = try #require(store.dialect)
            let expected: [(test: String, people: Int64)] = [
                ("v = 5", 2), ("v = 5.0", 2), ("v = \"5\"", 1), ("v = true", 1), ("v = false", 1), ("v != 5", 8),
                ("v > 0", 3), ("v <= 5", 3), ("v < 5.5", 3), ("v >= \"a\"", 2), ("v in (5, \"a\", true)", 4),
                ("v exists", 10), ("v absent", 2), ("v = \"卵 'a' \\\\ b\"", 1), ("v != \"5\"", 9),
                ("_session = \"common\"", 1), ("_level >= 9", 12), ("_level > 9", 0),
                ("v = 5 and _session != \"s0\"", 1),
            ]
            for (test, people) in expected {
                let insight = try Insight(parsing: "a.b(\(test)) -> a.c")
                let result = try await store.query(insight.sql(dialect, now: 0), limits: QueryLimits())
                let table = InsightTable(insight, result, now: 0)
                #expect(table.rows.first?[2] == .count(people), "\(test)")
                #expect(table.rows.last?[2] == .count(people), "\(test)")
                guard let columns = store as? any ColumnarStore else { continue }
                let folded = try await columns.fold { source throws(StoreError) in
                    try insight.answer(from: source, now: 0)
                }
                #expect(InsightTable(insight, folded, now: 0) == table, "\(test), from columns")
            }
        },
    ]
}

extension QueryResult {
    /// The rows as texts, sorted.
    fileprivate var texts: [String] { rows.map { $0.map(Self.text).joined(separator: "|") }.sorted() }

    private static func text(_ cell: Cell) -> String {
        switch cell {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .text(let text): text
        case .real(let number): String(number)
        case .blob: "blob"
        }
    }
}

/// A record with its values as the model needs them.
private struct SampledRecord {
    static let hour: Int64 = 3_600_000_000_000

    var row: RecordRow
    var version: String?
    var user: String?
    var order: String?
    /// In attributes, as JSON.
    var number: String?

    var isOwn: Bool { row.tag.hasPrefix("daybook.") }

    static func many(_ count: Int, _ random: inout SeededGenerator) -> [SampledRecord] {
        (0..<count).map { number in
            let order = ["popular", "new", nil].randomElement(using: &random) ?? nil
            let tags = ["a.x", "a.x", "a.y", "b.z", "a.x.deep", "daybook.violation"]
            let size = ["7", "-2", "1.5", "\"9\"", "true", nil].randomElement(using: &random) ?? nil
            let own = [order.map { "\"order\":\"\($0)\"" }, size.map { "\"n\":\($0)" }].compactMap(\.self)
            var row = RecordRow.sample(
                number, tag: tags.randomElement(using: &random) ?? "a.x", attributes: "{\(own.joined(separator: ","))}")
            if number % 3 == 0 { row.duration = Int64.random(in: 0..<50, using: &random) }
            // Few hours and many ties, which the order of arrival decides.
            row.time = Int64.random(in: 0..<2_000, using: &random) / 10 * hour / 2
            row.session = ["s1", "s2", "s3", "s4", nil].randomElement(using: &random) ?? nil
            row.installation = ["i1", "i2", "i3"].randomElement(using: &random)
            if number % 17 == 0 { row.kind = .message }
            let version = ["1.9", "1.10", nil].randomElement(using: &random) ?? nil
            let user = ["u1", "u2", nil].randomElement(using: &random) ?? nil
            let members = [version.map { "\"service.version\":\"\($0)\"" }, user.map { "\"user_id\":\"\($0)\"" }]
            row.context = "{\(members.compactMap(\.self).joined(separator: ","))}"
            return SampledRecord(row: row, version: version, user: user, order: order, number: size)
        }
    }
}

/// Insights over records in memory, by brute force.
private struct NaiveInsights {
    private struct Step: Sendable {
        var text: String
        var matches: @Sendable (SampledRecord) -> Bool
    }

    private static let steps = [
        Step(text: "a.x") { $0.row.tag == "a.x" }, Step(text: "a.y") { $0.row.tag == "a.y" },
        Step(text: "b.*") { $0.row.tag == "b.z" },
        Step(text: "a.**") { $0.row.tag.hasPrefix("a.") },
        Step(text: "a.*") { $0.row.tag == "a.x" || $0.row.tag == "a.y" },
        Step(text: "**") { !$0.isOwn },
        Step(text: "a.x(order = \"popular\")") { $0.row.tag == "a.x" && $0.order == "popular" },
        Step(text: "a.y(order != \"popular\")") { $0.row.tag == "a.y" && $0.order == "new" },
        Step(text: "a.x(order absent)") { $0.row.tag == "a.x" && $0.order == nil },
    ]

    /// Events by time, then by arrival.
    let records: [SampledRecord]
    let ofAllKinds: [SampledRecord]

    init(records: [SampledRecord]) {
        // Ties sort by the number in the UID.
        ofAllKinds = records
        self.records = records.filter { $0.row.kind == .event }.sorted {
            ($0.row.time, Self.number($0)) < ($1.row.time, Self.number($1))
        }
    }

    private static func number(_ record: SampledRecord) -> Int { Int(record.row.uid.dropFirst(4)) ?? 0 }

    /// A random insight's text and its expected rows.
    func sampled(_ random: inout SeededGenerator) -> (text: String, rows: [String]) {
        func step() -> Step { Self.steps.randomElement(using: &random) ?? Self.steps[0] }
        let joinings: [(String, (SampledRecord) -> String?)] = [
            ("session", { $0.row.session }), ("installation", { $0.row.installation }), ("user_id", { $0.user }),
        ]
        let (joining, person) = joinings.randomElement(using: &random) ?? joinings[0]
        let hours = [nil, 1, 12, 50].randomElement(using: &random) ?? nil
        let within = hours.map { " within \($0)h" } ?? ""
        let isByVersion = Bool.random(using: &random)
        let period = [nil, "day", "week"].randomElement(using: &random) ?? nil
        let zone = Bool.random(using: &random) ? 9 : 0
        let zoneText = zone == 0 ? "" : " zone \"+09:00\""
        let isRecent = Bool.random(using: &random)
        let since = isRecent ? " since 1970-01-03" : ""
        // A zone's midnight is earlier than UTC's.
        let start = isRecent ? 48 * SampledRecord.hour - Int64(zone) * SampledRecord.hour : 0
        let key: (SampledRecord) -> String? = { record in
            person(record).map { isByVersion ? "\($0)/\(record.version ?? "")" : $0 }
        }
        func periodText(_ time: Int64) -> String? {
            period.map { Self.date(time + Int64(zone) * SampledRecord.hour, isWeek: $0 == "week") }
        }
        let parameters: [(String, (SampledRecord) -> String)] = [
            ("order", { $0.order ?? "" }), ("n", { ($0.number ?? "").replacing("\"", with: "") }),
            ("user_id", { $0.user ?? "" }),
        ]
        let parameter = Bool.random(using: &random) ? nil : parameters.randomElement(using: &random)
        let groups = [isByVersion ? "version" : nil, parameter?.0].compactMap(\.self)
        func by(_ groups: [String]) -> String { groups.isEmpty ? "" : " by \(groups.joined(separator: ", "))" }
        let allGroups = by(groups + [period].compactMap(\.self))
        /// What a record's answer is divided by.
        func division(_ record: SampledRecord) -> [String] {
            (isByVersion ? [record.version ?? ""] : []) + (parameter.map { [$0.1(record)] } ?? [])
                + [periodText(record.row.time)].compactMap(\.self)
        }
        let top = [1, 2, 20].randomElement(using: &random) ?? 20
        let topText = parameter == nil ? "" : " top \(top)"
        /// The rows of the most frequent values of the parameter, which is the cell at `place`.
        func mostFrequent(
            _ rows: [String], _ top: Int, at place: Int = isByVersion ? 1 : 0, _ weight: ([String]) -> String
        ) -> [String] {
            guard parameter != nil else { return rows }
            let cells = rows.map { $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init) }
            let values = Dictionary(grouping: cells) { $0[place] }
            let order = values.mapValues { $0.reduce(0) { $0 + (Int(weight($1)) ?? 0) } }
                .sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }
            return order.prefix(top).flatMap { values[$0.key] ?? [] }
                .map { ($0 + [String(values.count)]).joined(separator: "|") }
        }
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
            let (first, returning) = (step(), step())
            let unit = period ?? "day"
            let text =
                "retention \(first.text) returning \(returning.text) for 3 joining \(joining)\(by([parameter?.0, unit].compactMap(\.self)))\(topText)\(since)\(zoneText)"
            let rows = retention(first, returning, person, unit == "week", zone, isRecent ? start : nil, parameter?.1)
            return (text, mostFrequent(rows, top, at: 0) { $0[2] == "0" ? $0[3] : "0" })
        case 1:
            let (anchor, length) = (step(), Int.random(in: 1...2, using: &random))
            let text =
                "path after \(anchor.text) steps \(length) top 100 joining \(joining)\(within)\(by(groups))\(since)\(zoneText)"
            let own = { record in (isByVersion ? [record.version ?? ""] : []) + (parameter.map { [$0.1(record)] } ?? [])
            }
            return (text, mostFrequent(path(anchor, length, key, hours, own, start), 100) { $0[$0.count - 3] })
        case 2:
            let step = step()
            let found = records.filter { step.matches($0) && $0.row.time >= start }
            let rows = Dictionary(grouping: found, by: division).map { group, found in
                (group + [String(found.count), String(Set(found.compactMap(person)).count)]).joined(separator: "|")
            }
            let empty = groups.isEmpty && period == nil && rows.isEmpty ? ["0|0"] : []
            return (
                "count \(step.text) joining \(joining)\(allGroups)\(topText)\(since)\(zoneText)",
                mostFrequent(rows, top) { $0[$0.count - 2] } + empty
            )
        case 3:
            let (step, isDuration) = (step(), Bool.random(using: &random))
            let number: (SampledRecord) -> Double? = { record in
                isDuration ? record.row.duration.map(Double.init) : record.number.flatMap { Double($0) }
            }
            let found = (isDuration ? ofAllKinds : records).filter {
                step.matches($0) && $0.row.time >= start && number($0) != nil
            }
            let name = isDuration ? "_duration" : "n"
            if Int.random(in: 0..<3, using: &random) == 0 {
                let rows = Dictionary(grouping: found) { division($0) + [Self.bucket(number($0) ?? 0)] }
                return (
                    "measure \(name) of \(step.text) in buckets\(allGroups)\(topText)\(since)\(zoneText)",
                    mostFrequent(rows.map { ($0 + [String($1.count)]).joined(separator: "|") }, top) {
                        $0[$0.count - 1]
                    }
                )
            }
            let rows = Dictionary(grouping: found, by: division).map { group, found in
                let sorted = found.compactMap(number).sorted()
                let places = [0] + [50, 90, 95, 99].map { ($0 * sorted.count + 99) / 100 - 1 } + [sorted.count - 1]
                return (group + [String(found.count)] + places.map { String(sorted[$0]) }).joined(separator: "|")
            }
            let empty = groups.isEmpty && period == nil && rows.isEmpty
            return (
                "measure \(name) of \(step.text)\(allGroups)\(topText)\(since)\(zoneText)",
                mostFrequent(rows, top) { $0[$0.count - 7] }
                    + (empty ? [Array(repeating: "NULL", count: 7).joined(separator: "|")] : [])
            )
        case 4:
            let (first, second, top) = (step(), step(), [4, 100].randomElement(using: &random) ?? 4)
            let columns = ([("version", { $0.version ?? "" })] + parameters).shuffled(using: &random).prefix(3)
            let names = columns.map(\.0).joined(separator: ", ")
            return (
                "differ \(first.text) from \(second.text) by \(names) top \(top)\(since)\(zoneText)",
                difference(first, second, Array(columns), records.filter { $0.row.time >= start }, top)
            )
        default:
            let steps = (0..<Int.random(in: 2...4, using: &random)).map { _ in step() }
            let excluded = Int.random(in: 0..<3, using: &random) == 0 ? step() : nil
            let isOrdered = Int.random(in: 0..<3, using: &random) > 0
            let text =
                "\(steps.map(\.text).joined(separator: " -> "))\(isOrdered ? "" : " in any order")"
                + (excluded.map { " without \($0.text)" } ?? "")
                + "\(within) joining \(joining)\(allGroups)\(topText)\(since)\(zoneText)"
            let rows = funnel(steps, excluded, isOrdered ? stepByStep : inAnyOrder, key, hours, start, division)
            return (text, mostFrequent(rows, top) { $0[$0.count - 3] == "1" ? $0[$0.count - 2] : "0" })
        }
    }

    /// The largest bound that is not above a number.
    private static func bucket(_ number: Double) -> String {
        let bounds = [-10, -5, -2, -1, 0, 1, 2, 5, 10, 20, 50, 100] as [Double]
        return String(bounds.last { $0 <= number } ?? 0)
    }

    private func difference(
        _ first: Step, _ second: Step, _ columns: [(String, (SampledRecord) -> String)], _ records: [SampledRecord],
        _ top: Int
    ) -> [String] {
        let all = [first, second].map { records.filter($0.matches).count }
        let rows = columns.flatMap { name, value in
            Dictionary(grouping: records.filter { first.matches($0) || second.matches($0) }, by: value).map {
                (text: String, found: [SampledRecord]) -> (key: (Int, String, String), text: String) in
                let counts = [first, second].map { side in found.filter(side.matches).count }
                let cells = [name, text] + (counts + all).map { String($0) }
                return (
                    (-abs(counts[0] * all[1] - counts[1] * all[0]), name, text), cells.joined(separator: "|")
                )
            }
        }
        return rows.sorted { $0.key < $1.key }.prefix(top).map(\.text)
    }

    private func people(
        _ key: (SampledRecord) -> String?, since start: Int64
    ) -> [String: [SampledRecord]] {
        Dictionary(grouping: records.filter { key($0) != nil && $0.row.time >= start }) { key($0) ?? "" }
    }

    /// The places of all beginnings of a path through the steps that ends at a record.
    private func beginnings(_ steps: [Step], _ number: Int, _ records: [SampledRecord], _ index: Int) -> [Int] {
        guard steps[number].matches(records[index]) else { return [] }
        if number == 0 { return [index] }
        return (0..<index).flatMap { beginnings(steps, number - 1, records, $0) }
    }

    /// For each step that an event reaches, where the possible ways begin.
    private func stepByStep(_ steps: [Step], _ records: [SampledRecord], _ index: Int) -> [[Int]] {
        steps.indices.map { beginnings(steps, $0, records, index) }
    }

    /// For each number of steps, where the shortest window with so many begins, if it ends at a step.
    private func inAnyOrder(_ steps: [Step], _ records: [SampledRecord], _ index: Int) -> [[Int]] {
        func step(_ index: Int) -> Int? { steps.firstIndex { $0.matches(records[index]) } }
        guard step(index) != nil else { return [] }
        return (1...steps.count).map { count in
            let windows = (0...index).reversed().first { Set(($0...index).compactMap(step)).count == count }
            return [windows].compactMap(\.self)
        }
    }

    private func funnel(
        _ steps: [Step], _ excluded: Step?, _ ways: ([Step], [SampledRecord], Int) -> [[Int]],
        _ key: (SampledRecord) -> String?, _ hours: Int?, _ start: Int64, _ division: (SampledRecord) -> [String]
    ) -> [String] {
        var quickest: [[String]: [String: Int64]] = [:]
        for (person, records) in people(key, since: start) {
            for index in records.indices {
                for (number, begins) in ways(steps, records, index).enumerated() {
                    let open = begins.filter { begin in
                        let took = records[index].row.time - records[begin].row.time
                        let isInTime = hours.map { took <= Int64($0) * SampledRecord.hour } ?? true
                        let isEnded = records[begin...index].dropFirst().contains { excluded?.matches($0) ?? false }
                        return isInTime && !isEnded
                    }
                    guard let begin = open.max() else { continue }
                    let group = division(records[begin]) + [String(number + 1)]
                    let took = records[index].row.time - records[begin].row.time
                    quickest[group, default: [:]][person] = min(quickest[group]?[person] ?? .max, took)
                }
            }
        }
        return quickest.map { group, times in
            let median = times.values.sorted()[(times.count + 1) / 2 - 1]
            return (group + [String(times.count), String(median)]).joined(separator: "|")
        }
    }

    private func retention(
        _ first: Step, _ returning: Step, _ key: (SampledRecord) -> String?, _ isWeek: Bool, _ zone: Int,
        _ start: Int64?, _ value: ((SampledRecord) -> String)?
    ) -> [String] {
        func number(_ time: Int64) -> Int64 {
            let day = (time + Int64(zone) * SampledRecord.hour) / (24 * SampledRecord.hour)
            return isWeek ? (day + 3) / 7 : day
        }
        var counts: [String: Int] = [:]
        for records in people(key, since: 0).values {
            guard let cohort = records.filter(first.matches).map({ number($0.row.time) }).min() else { continue }
            if let start, cohort < number(start) { continue }
            let later = Set(records.filter(returning.matches).map { number($0.row.time) })
            let day = Self.date((isWeek ? cohort * 7 - 3 : cohort) * 24 * SampledRecord.hour, isWeek: false)
            let origin = records.first(where: first.matches).flatMap { record in value.map { "\($0(record))|" } } ?? ""
            for age in 0...3 where age == 0 || later.contains(cohort + Int64(age)) {
                counts["\(origin)\(day)|\(age)", default: 0] += 1
            }
        }
        return counts.map { "\($0)|\($1)" }
    }

    private func path(
        _ anchor: Step, _ length: Int, _ key: (SampledRecord) -> String?, _ hours: Int?,
        _ division: (SampledRecord) -> [String], _ start: Int64
    ) -> [String] {
        var found: [[String]: (times: Int, people: Set<String>)] = [:]
        var totals: [[String]: Int] = [:]
        for (person, all) in people(key, since: start) {
            let records = all.filter { !$0.isOwn }
            for index in records.indices where anchor.matches(records[index]) {
                let next = (1...length).map { number -> String in
                    guard index + number < records.count else { return "NULL" }
                    let record = records[index + number]
                    let isLate = hours.map {
                        record.row.time - records[index].row.time > Int64($0) * SampledRecord.hour
                    }
                    return isLate == true ? "NULL" : record.row.tag
                }
                let group = division(records[index])
                found[group + next, default: (0, [])].times += 1
                found[group + next]?.people.insert(person)
                totals[group, default: 0] += 1
            }
        }
        return found.map { group, counts in
            let total = totals[Array(group.dropLast(length))] ?? 0
            return (group + [String(counts.times), String(counts.people.count), String(total)]).joined(separator: "|")
        }
    }

    private static func date(_ time: Int64, isWeek: Bool) -> String {
        var day = time / (24 * SampledRecord.hour)
        if isWeek { day = (day + 3) / 7 * 7 - 3 }
        // All are in early 1970 or the days just before.
        let months: [(String, Int64)] = [("1969-12", -31), ("1970-01", 0), ("1970-02", 31), ("1970-03", 59)]
        let (month, first) = months.last { $0.1 <= day } ?? months[0]
        let number = day - first + 1
        return "\(month)-\(number < 10 ? "0" : "")\(number)"
    }
}
