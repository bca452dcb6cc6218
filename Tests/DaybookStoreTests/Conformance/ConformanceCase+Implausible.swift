import Daybook
import DaybookBase
import DaybookCollector
import DaybookDefinitions
import DaybookStore
import DaybookTools
import Testing

/// The time a record claims, and whether a store believes it on arrival.
struct ClaimedTime: CustomTestStringConvertible {
    static let day: Int64 = 86_400_000_000_000
    static let now: Int64 = 1_795_000_000_000_000_000

    var name: String
    var time: Int64
    var isPlausible: Bool

    var testDescription: String { name }

    static let all: [ClaimedTime] = [
        ClaimedTime(name: "least", time: .min, isPlausible: false),
        ClaimedTime(name: "1677", time: -9_223_372_036_000_000_000, isPlausible: false),
        ClaimedTime(name: "1969", time: -1, isPlausible: false),
        ClaimedTime(name: "1970", time: 0, isPlausible: false),
        ClaimedTime(name: "seconds", time: now / 1_000_000_000, isPlausible: false),
        ClaimedTime(name: "milliseconds", time: now / 1_000_000, isPlausible: false),
        ClaimedTime(name: "2009", time: PlausibleTime.earliest - 1, isPlausible: false),
        ClaimedTime(name: "2010", time: PlausibleTime.earliest, isPlausible: true),
        ClaimedTime(name: "100 days ago", time: now - 100 * day, isPlausible: true),
        ClaimedTime(name: "10 minutes ago", time: now - 600_000_000_000, isPlausible: true),
        ClaimedTime(name: "now", time: now, isPlausible: true),
        ClaimedTime(name: "an hour ahead", time: now + day / 24, isPlausible: true),
        ClaimedTime(name: "a day ahead", time: now + day, isPlausible: false),
        ClaimedTime(name: "2 days ahead", time: now + 2 * day, isPlausible: false),
        ClaimedTime(name: "2038", time: 2_147_483_648_000_000_000, isPlausible: false),
        ClaimedTime(name: "2100", time: 4_102_444_800_000_000_000, isPlausible: false),
        ClaimedTime(name: "2262", time: 9_223_372_036_000_000_000, isPlausible: false),
        ClaimedTime(name: "largest", time: .max, isPlausible: false),
    ]

    /// A record of each claim, each in its own session.
    static var batch: RecordBatch {
        RecordBatch(
            rows: all.enumerated().map { place, claim in
                RecordRow.sample(place, tag: "claim.x", session: claim.name).with { $0.time = claim.time }
            }, arrived: now)
    }
}

extension ConformanceCase {
    private static let now = ClaimedTime.now
    private static let day = ClaimedTime.day

    private static func found(_ text: String, in store: any EventStore) async throws -> Set<String> {
        let expression = try #require(try FilterParser.parse(text, now: now).expression)
        return Set(try await store.page { $0.narrow(by: expression) }.compactMap(\.row.session))
    }

    static let implausible: [ConformanceCase] = [
        ConformanceCase(name: "A range of the last days ends now, and implausible times can be selected") {
            store async throws in
            try await store.append(ClaimedTime.batch)
            #expect(try await found("last:30m", in: store) == ["10 minutes ago", "now"])
            #expect(try await found("last:10m", in: store) == ["now"])
            #expect(try await found("-last:1000w -time:implausible", in: store) == ["an hour ahead"])
            let strange = Set(ClaimedTime.all.filter { !$0.isPlausible }.map(\.name))
            #expect(try await found("time:implausible", in: store) == strange)
        },
        ConformanceCase(name: "The bounds of plausible times ignore implausible ones") { store async throws in
            try await store.append(ClaimedTime.batch)
            #expect(try await store.timeBounds(within: nil) == .min ... .max)
            let bounds = try await store.timeBounds(within: PlausibleTime.range(at: now))
            #expect(bounds == PlausibleTime.earliest...now + day / 24)
            #expect(try await store.timeBounds(within: now + 1..<now + 2) == nil)
        },
        ConformanceCase(name: "A session dated in the future is listed by its arrival") { store async throws in
            try await store.append(ClaimedTime.batch)
            let sessions = try await store.sessions(SessionQuery())
            #expect(sessions.count == ClaimedTime.all.count)
            #expect(sessions.first?.session == "an hour ahead")
            let ahead = Set(ClaimedTime.all.filter { $0.time >= now + day }.map(\.name))
            #expect(Set(sessions[1...ahead.count + 1].map(\.session)) == ahead.union(["now"]))
            for session in sessions where ahead.contains(session.session) {
                #expect(session.firstTime == now && session.lastTime == now)
            }
            let tag = try #require(try await store.tagSummaries(after: nil).summaries.first)
            #expect(tag.count == Int64(ClaimedTime.all.count))
            #expect(tag.firstTime == PlausibleTime.earliest && tag.lastTime == now + day / 24)
        },
        ConformanceCase(name: "A session keeps its plausible times beside implausible ones, also when rebuilt") {
            store async throws in
            let times: [Int64] = [0, now - 5_000, now - 1_000, now + 3 * day, .max, .min]
            let rows = times.enumerated().map { place, time in
                RecordRow.sample(place, session: "s").with { $0.time = time }
            }
            try await store.append(RecordBatch(rows: Array(rows[..<3]), arrived: now - 500))
            try await store.append(RecordBatch(rows: Array(rows[3...]), arrived: now))
            var session = try #require(try await store.sessions(SessionQuery()).first)
            #expect(session.firstTime == now - 5_000)
            // An arrival mark serves for a minute.
            #expect((now - 500...now).contains(session.lastTime))
            var filter = RecordFilter()
            filter.narrow(by: .field(.uid, "uid-3"))
            #expect(try await store.erase(filter) == 1)
            session = try #require(try await store.sessions(SessionQuery()).first)
            #expect(session.count == 5 && session.firstTime == now - 5_000)
            #expect((now - 500...now).contains(session.lastTime))
        },
        ConformanceCase(name: "A record is kept by its arrival if its time is implausible, but not forever") {
            store async throws in
            let rules = [try RetentionRule("90d"), try RetentionRule("7d claim.**")]
            try await store.append(ClaimedTime.batch)
            // Later marks belong to other records.
            try await store.append(RecordBatch(rows: [.sample(100)], arrived: now + 6 * day))
            let count = Int64(ClaimedTime.all.count)
            for time in [now, now + 6 * day, now + 7 * day] {
                #expect(try await store.retain(rules, now: time, trustsClock: true) == 0)
            }
            #expect(try await store.retain(rules, now: now + 7 * day + 60_000_000_001, trustsClock: true) == count)
            #expect(try await store.uids { _ in } == ["uid-100"])
            #expect(try await store.retain(rules, now: now + 96 * day, trustsClock: true) == 0)
            #expect(try await store.retain(rules, now: now + 97 * day, trustsClock: true) == 1)
        },
        ConformanceCase(name: "Senders with implausible times do not delay retention") { store async throws in
            for age in [100, 75, 50, 25] as [Int64] {
                try await store.append(RecordBatch(rows: [.sample(Int(age))], arrived: now - age * day))
            }
            // Nothing, ages, the future, and the ends of time.
            let claims: [Int64] = [0, now - 40 * day, now - 4_000 * day, now + 40 * day, .min, .max, now]
            let rows = (0..<140).map { number in
                RecordRow.sample(number).with { $0.time = claims[number % claims.count] }
            }
            try await store.append(RecordBatch(rows: rows, arrived: now))
            #expect(try await store.retain([try RetentionRule("90d")], now: now) == 1)
        },
        ConformanceCase(name: "Arrivals by a clock set ahead count only after a month of them") {
            store async throws in
            let rules = [try RetentionRule("7d")]
            for age in [3, 2, 1] as [Int64] {
                try await store.append(RecordBatch(rows: [.sample(Int(age))], arrived: now - age * day))
            }
            for ahead in [41, 400, 4_000] as [Int64] {
                let wrong = now + ahead * day
                try await store.append(RecordBatch(rows: [.sample(100)], arrived: wrong))
                let error = await #expect(throws: StoreError.self) { try await store.retain(rules, now: wrong) }
                #expect(error?.code == .clock)
            }
            let later = now + 4_000 * day
            for number in 1...8 as ClosedRange<Int64> {
                let time = later + 5 * number * day
                try await store.append(RecordBatch(rows: [.sample(100)], arrived: time))
                guard number < 6 else { continue }
                let error = await #expect(throws: StoreError.self) { try await store.retain(rules, now: time) }
                #expect(error?.code == .clock)
            }
            #expect(try await store.retain(rules, now: later + 40 * day) == 12)
        },
        ConformanceCase(name: "Records with extreme times are in every view") { store async throws in
            guard store.dialect != nil else { return }  // a store without SQL has no views
            let furthest: [Int64] = [.min, -9_223_372_036_854_775_001, -1, 0, .max]
            let kinds: [Kind] = [.event, .message, .error, .span, .request]
            var rows: [RecordRow] = []
            for time in furthest {
                for kind in kinds {
                    var row = RecordRow.sample(rows.count, tag: "recipe_search.search", session: "s")
                    row.kind = kind
                    row.time = time
                    row.installation = "i"
                    row.duration = 1
                    rows.append(row)
                }
            }
            try await store.append(RecordBatch(rows: rows))
            let text = Array("# recipe_search\n## search\n- word: !string?\n".utf8)
            try await store.createViews(of: Definitions.load([(path: "recipe_search.md", bytes: text)]).0)
            for (view, count) in [
                ("recipe_search__search", 5), ("activity_log", 5), ("messages", 5), ("errors", 5), ("requests", 5),
                ("spans", 10), ("sessions", 1), ("installations", 1),
            ] {
                let result = try await store.query("SELECT * FROM \(view)", limits: QueryLimits())
                #expect(result.rows.count == count, "\(view)")
            }
        },
        ConformanceCase(name: "Records dated in the future alone give an installation no first or last time") {
            store async throws in
            guard store.dialect != nil else { return }  // a store without SQL has no views
            let present = PipelineClock.system.wall()
            let future: Int64 = 4_102_444_800_000_000_000
            var rows: [RecordRow] = []
            for (installation, times) in [("alone", [future]), ("both", [future, present, 5]), ("old", [5])] {
                for time in times {
                    var row = RecordRow.sample(rows.count)
                    row.time = time
                    row.installation = installation
                    rows.append(row)
                }
            }
            try await store.append(RecordBatch(rows: rows))
            try await store.createViews(of: Definitions())
            let sql = "SELECT first_time, last_time FROM installations ORDER BY installation"
            let found = try await store.query(sql, limits: QueryLimits()).rows
            let expected: [[QueryResult.Cell]] = [
                [.null, .null], [.integer(present), .integer(present)], [.integer(5), .integer(5)],
            ]
            #expect(found == expected)
        },
        ConformanceCase(name: "A corrected clock does not erase what arrived before its correction") {
            store async throws in
            for (number, arrived) in [0, 60_000_000_000, now].enumerated() {
                let row = RecordRow.sample(number).with { $0.time = now - day }
                try await store.append(RecordBatch(rows: [row], arrived: arrived))
            }
            let rules = [try RetentionRule("90d")]
            #expect(try await store.retain(rules, now: now + day, trustsClock: true) == 0)
            #expect(try await store.retain(rules, now: now + 91 * day, trustsClock: true) == 3)
        },
        ConformanceCase(name: "A recent import of old records does not make the clock suspect") {
            store async throws in
            let rows = (1...20).map { number in RecordRow.sample(number).with { $0.time = now - 400 * day } }
            try await store.append(RecordBatch(rows: rows, arrived: now))
            let rules = [try RetentionRule("90d")]
            #expect(try await store.retain(rules, now: now + day) == 0)
            let error = await #expect(throws: StoreError.self) { try await store.retain(rules, now: now + 91 * day) }
            #expect(error?.code == .clock)
        },
        ConformanceCase(name: "Setting the clock back does not age records") { store async throws in
            for (number, time) in [now, now - 400 * day, now + 1, now + 2 * day].enumerated() {
                try await store.append(RecordBatch(rows: [.sample(number)], arrived: time))
            }
            let rules = [try RetentionRule("90d")]
            let erased = try await store.retain(rules, now: now + 90 * day, trustsClock: true)
            // ClickHouse stores each row's time; the others use that of the mark before.
            #expect(erased <= 1)
            #expect(try await store.retain(rules, now: now + 93 * day, trustsClock: true) == 4 - erased)
        },
    ]
}
