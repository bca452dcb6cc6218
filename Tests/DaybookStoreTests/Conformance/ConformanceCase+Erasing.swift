import DaybookBase
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookStore

extension ConformanceCase {
    static let erasing: [ConformanceCase] = [
        ConformanceCase(name: "Every way of counting agrees between arrivals and after an erasure") {
            store async throws in
            let tags = ["a.b", "a.c", "d"]
            try await store.append(
                RecordBatch(
                    rows: (1...900).map { number in
                        .sample(number, tag: tags[number % 3], session: "s\(number % 5)").with {
                            $0.context = #"{"service.version":"\#(number % 2)"}"#
                        }
                    }))
            func agree(after: Int64?, before: Int64?) async throws {
                var page = RecordQuery()
                page.limit = 1_000
                (page.after, page.before) = (after, before)
                let rows = try await store.page(page).map(\.row)
                var facets = FacetQuery(fields: [.tag, .version])
                (facets.after, facets.before) = (after, before)
                let values = try await store.values(facets)
                #expect(
                    values[.tag] ?? [:]
                        == Dictionary(grouping: rows) { ExactText($0.tag) }.mapValues { Int64($0.count) })
                #expect((values[.version] ?? [:]).values.reduce(0, +) == Int64(rows.count))
                var histogram = HistogramQuery(start: 0, width: 100_000, count: 10)
                (histogram.after, histogram.before) = (after, before)
                #expect(try await store.counts(histogram).values.joined().reduce(0, +) == Int64(rows.count))
                var byTime = TimeQuery()
                (byTime.limit, byTime.arrivedAfter, byTime.arrivedBefore) = (1_000, after, before)
                #expect(try await store.page(byTime).count == rows.count)
                guard after == nil, before == nil else { return }
                for summary in try await store.tagSummaries(after: nil).summaries {
                    let own = rows.filter {
                        $0.tag == summary.tag && $0.context.hasSuffix("\(summary.version ?? "")\"}")
                    }
                    #expect(summary.count == Int64(own.count), "\(summary)")
                }
            }
            for range in [(nil, nil), (100, 700), (nil, 300), (899, nil), (900, nil), (5, 6)] as [(Int64?, Int64?)] {
                try await agree(after: range.0, before: range.1)
            }
            #expect(try await store.erase(RecordFilter(.field(.session, "s2"))) == 180)
            #expect(try await store.erase(RecordFilter(.tag("d"))) == 240)
            for range in [(nil, nil), (100, 700), (896, nil)] as [(Int64?, Int64?)] {
                try await agree(after: range.0, before: range.1)
            }
            let seen = try await store.tagSummaries(after: nil).summaries
            #expect(seen.map(\.tag) == ["a.b", "a.b", "a.c", "a.c", "d", "d"])
            #expect(seen.filter { $0.tag == "d" }.map(\.count) == [0, 0])
            #expect(seen.filter { $0.tag == "d" }.map(\.lastTime).max() == 899_000)
        },
        ConformanceCase(name: "An erasure removes exactly the matching records, and their numbers are not reused") {
            store async throws in
            try await store.append(
                RecordBatch(rows: (1...1_300).map { .sample($0, session: $0 % 2 == 0 ? "x" : "y") }))
            var filter = RecordFilter()
            filter.narrow(by: .field(.session, "x"))
            #expect(try await store.erase(filter) == 650)
            #expect(try await store.erase(filter) == 0)
            #expect(try await store.values(FacetQuery(fields: [.session])) == [.session: ["y": 650]])
            #expect(try await store.page { $0.limit = 3 }.map(\.id) == [1_299, 1_297, 1_295])
            try await store.append(RecordBatch(rows: [.sample(1)]))
            #expect(try await store.head() == 1_301)
        },
        ConformanceCase(name: "An erasure without a condition is refused") { store async throws in
            try await store.append(RecordBatch(rows: [.sample(1)]))
            var filters = [
                RecordFilter(), RecordFilter(.level(atLeast: 0)), RecordFilter(.level(atLeast: -1)),
                RecordFilter(.tag("**")), RecordFilter(.kinds(Kind.allCases.map(\.rawValue))),
                RecordFilter(.since(.min)),
            ]
            for text in [
                "level>=0", "level:0..24", "level>=none", "tag=**", "uid=*", "a OR -a", "-(a -a)",
                "level<warn OR level>=warn", "level>=0 tag=**", "after:2026-01-01 OR before:2026-02-01", "(level>=0)",
                "a OR level>=0", "NOT (level<5 -level<5)",
            ] {
                let expression = try FilterParser.parse(text, now: 0).expression
                filters.append(RecordFilter(try #require(expression)))
            }
            for filter in filters {
                let error = await #expect(throws: StoreError.self, "\(filter)") { try await store.erase(filter) }
                #expect(error?.code == .badStatement)
            }
            #expect(try await store.page { $0.limit = 3 }.map(\.id) == [1])
            let level = try #require(
                try FilterParser.parse("level<=24 -level>=trace OR other", now: 0).expression)
            #expect(try await store.erase(RecordFilter(level)) == 0)
        },
        ConformanceCase(
            name: "Erased records stay erased when they are sent again, and their tags stay known"
        ) {
            store async throws in
            try await store.append(.numbered("s", (0, 4), 1...4))
            #expect(try await store.erase(RecordFilter(.until(3_000))) == 2)
            #expect(try await store.append(.numbered("s", (0, 4), 1...4)) == AppendResult(stored: 0, duplicates: 4))
            let kept = try await store.tagSummaries(after: nil).summaries
            #expect(kept.map(\.count) == [2])
            #expect(kept.map(\.firstTime) == [1_000] && kept.map(\.lastTime) == [4_000])
            #expect(try await store.erase(RecordFilter(.since(0))) == 2)
            #expect(try await store.tagSummaries(after: nil).summaries.map(\.count) == [0])
        },
        ConformanceCase(name: "Records can be erased by a value in their attributes or context") {
            store async throws in
            let rows = [
                RecordRow.sample(1).with { $0.attributes = #"{"user_id":42}"# },
                RecordRow.sample(2).with { $0.context = #"{"plan":"free","user_id":"42"}"# },
                RecordRow.sample(3).with { $0.attributes = #"{"user_id":421,"note":"user_id 42"}"# },
                RecordRow.sample(4).with { $0.context = #"{"user":{"user_id":42}}"# },
                RecordRow.sample(5).with { $0.attributes = #"{"name":"卵 \"a\"","n":9007199254740993,"is":true}"# },
                RecordRow.sample(6).with { $0.context = "not JSON user_id 42" },
            ]
            try await store.append(RecordBatch(rows: rows))
            func found(_ text: String) async throws -> [String] {
                var query = RecordQuery()
                query.filter.narrow(by: try FilterParser.parse(text, now: 0).expression ?? .everything)
                return try await store.page(query).map(\.row.uid)
            }
            #expect(try await found("user_id=42") == ["uid-2", "uid-1"])
            #expect(try await found(#""name"="卵 \"a\"""#) == ["uid-5"])
            #expect(try await found("n=9007199254740993") == ["uid-5"])
            #expect(try await found("n=9007199254740992").isEmpty)
            #expect(try await found("is=true") == ["uid-5"])
            var filter = RecordFilter()
            filter.narrow(by: .term(.column("user_id", .value("42"))))
            #expect(try await store.erase(filter) == 2)
            #expect(try await found("user_id=42").isEmpty)
            #expect(try await store.page(RecordQuery()).count == 4)
        },
        ConformanceCase(name: "No trace of an erased installation is left") { store async throws in
            var batch = RecordBatch.numbered("s", (0, 2), 1...2)
            for index in batch.rows.indices { batch.rows[index].installation = "secret" }
            try await store.append(batch)
            #expect(try await store.ledger(LedgerQuery()).ledgers.map(\.installation) == ["secret"])
            var filter = RecordFilter()
            filter.narrow(by: .field(.installation, "secret"))
            #expect(try await store.erase(filter) == 2)
            #expect(try await store.ledger(LedgerQuery()).ledgers.map(\.installation) == [nil])
            #expect(try await store.page(RecordQuery()).isEmpty)
        },
        ConformanceCase(name: "Retention keeps each tag for its own period") { store async throws in
            let day: Int64 = 86_400_000_000_000
            for age in [100, 10, 1] {
                let rows = ["debug.x", "audit.login", "feed.show"].enumerated().map { place, tag in
                    RecordRow.sample(place * 1_000 + age, tag: tag)
                }
                try await store.append(RecordBatch(rows: rows, arrived: (21_000 - Int64(age)) * day))
            }
            let rules = try ["7d debug.**", "90d", "200d audit.**"].map { text in try RetentionRule(text) }
            #expect(try await store.retain(rules, now: 21_000 * day, trustsClock: true) == 3)
            let kept = try await store.uids { $0.order = .oldestFirst }
            #expect(kept == ["uid-1100", "uid-1010", "uid-2010", "uid-1", "uid-1001", "uid-2001"])
        },
        ConformanceCase(name: "Retention refuses a clock that is ahead until it is declared trusted") {
            store async throws in
            let day: Int64 = 86_400_000_000_000
            // Two devices have clocks of their own; the collector's records have its clock.
            let rows = (1...7).map { number in
                RecordRow.sample(number, tag: number == 7 ? "daybook.alert" : "feed.show").with {
                    $0.time = number > 4 ? 29_000 * day : 21_000 * day
                }
            }
            try await store.append(RecordBatch(rows: rows, arrived: 21_000 * day))
            let rules = [try RetentionRule("90d")]
            for now in [24_650 * day, 40_000 * day, .max] {
                let error = await #expect(throws: StoreError.self) { try await store.retain(rules, now: now) }
                #expect(error?.code == .clock)
            }
            #expect(try await store.retain(rules, now: .min) == 0)
            #expect(try await store.page(RecordQuery()).count == 7)
            #expect(try await store.retain(rules, now: 21_029 * day) == 0)
            #expect(try await store.retain(rules, now: 24_650 * day, trustsClock: true) == 7)
        },
    ]

    static let accounting: [ConformanceCase] = [
        ConformanceCase(name: "The number of loss reasons kept for a sender is bounded") {
            store async throws in
            for number in 1...4 as ClosedRange<UInt64> {
                var batch = RecordBatch.numbered("s/o/logs", (number - 1, number), [number])
                var counts: [String: Int64] = ["kept": Int64(number)]
                for reason in 0..<20 { counts["r\(number)_\(reason)"] = .max }
                batch.losses = LossReport(sender: "s/o", counts: counts)
                try await store.append(batch)
            }
            let losses = try #require(try await store.ledger(LedgerQuery()).ledgers.first?.losses)
            #expect(losses.count == 32 && losses["kept"] == 4)
            #expect(losses.filter { $0.key != "kept" }.values.allSatisfy { $0 == 1_000_000_000_000 })
            guard store.dialect != nil else { return }  // a store without SQL has no table
            let rows = try await store.query("SELECT count(*), max(count) FROM losses", limits: QueryLimits()).rows
            #expect(rows == [[.integer(32), .integer(1_000_000_000_000)]])
        },
        ConformanceCase(name: "A stream's account shows stored, duplicate, missing and lost records") {
            store async throws in
            var first = RecordBatch.numbered("s/o/logs", (0, 3), 1...3)
            first.rows[0].installation = "i"
            first.rows[0].context = #"{"service.version":"1.0"}"#
            first.losses = LossReport(sender: "s/o", counts: ["disk_limit": 5])
            try await store.append(first)
            var second = RecordBatch.numbered("s/o/logs", (5, 8), 6...8)
            second.losses = LossReport(sender: "s/o", counts: ["disk_limit": 4, "rejected": 1])
            try await store.append(second)
            try await store.append(second)
            let ledger = try await store.ledger(LedgerQuery()).ledgers
            #expect(
                ledger == [
                    StreamLedger(
                        stream: "s/o/logs", installation: "i", version: "1.0", stored: 6, duplicates: 3,
                        settled: [.init(after: 0, through: 3), .init(after: 5, through: 8)],
                        losses: ["disk_limit": 5, "rejected": 1])
                ])
            #expect(ledger.first?.gaps == [.init(after: 3, through: 5)])
        },
        ConformanceCase(
            name: "A stream that settles without records has an account, and a sender without streams has none"
        ) {
            store async throws in
            try await store.append(.numbered("s", (0, 9), []))
            try await store.append(RecordBatch(rows: [.sample(1)]))
            #expect(try await store.ledger(LedgerQuery()).ledgers.map(\.stream) == ["s"])
        },
    ]
}
