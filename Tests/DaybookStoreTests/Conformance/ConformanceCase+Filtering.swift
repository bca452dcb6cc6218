import DaybookStore
import Testing

extension ConformanceCase {
    static let filtering: [ConformanceCase] = [
        ConformanceCase(name: "Every column of a filter narrows the result") { store async throws in
            let trace = String(repeating: "a", count: 32)
            try await store.append(
                RecordBatch(rows: [
                    RecordRow.sample(1).with { $0.installation = "i" },
                    RecordRow.sample(2).with { $0.module = "App" },
                    RecordRow.sample(3).with { $0.traceID = trace },
                    RecordRow.sample(4).with { $0.context = #"{"service.version":"2.0","x":{"service.version":"1"}}"# },
                    RecordRow.sample(5).with { $0.context = #"{"service.version":"1.0"}"# },
                    RecordRow.sample(6).with { $0.context = "not JSON" },
                    RecordRow.sample(7).with { $0.file = "App/Menu.swift" },
                ]))
            #expect(try await store.uids { $0.narrow(by: .field(.file, "App/Menu.swift")) } == ["uid-7"])
            #expect(try await store.uids { $0.narrow(by: .field(.file, "Menu.swift")) } == [])
            #expect(try await store.uids { $0.narrow(by: .field(.installation, "i")) } == ["uid-1"])
            #expect(try await store.uids { $0.narrow(by: .field(.module, "App")) } == ["uid-2"])
            #expect(try await store.uids { $0.narrow(by: .field(.trace, trace)) } == ["uid-3"])
            #expect(try await store.uids { $0.narrow(by: .field(.version, "2.0")) } == ["uid-4"])
            #expect(try await store.uids { $0.narrow(by: .field(.version, "1")) } == [])
            #expect(try await store.uids { $0.narrow(by: .field(.uid, "uid-5")) } == ["uid-5"])
        },
        ConformanceCase(name: "An escaped star matches a star in a tag, and an unescaped one is a wildcard") {
            store async throws in
            let tags = ["a*b", "feed.*", "feed.show", "*", "a.*.b"]
            try await store.append(
                RecordBatch(rows: tags.enumerated().map { .sample($0.offset, tag: $0.element) }))
            for (place, tag) in tags.enumerated() where tag.contains("*") {
                let exactly = tag.replacing("*", with: "\\*")
                for predicate in [nil, RecordPredicate(name: "all") { _ in true }] {
                    let found = try await store.uids { query in
                        query.filter.narrow(by: .tag(exactly))
                        query.filter.predicate = predicate
                    }
                    #expect(found == ["uid-\(place)"], "\(exactly)")
                }
            }
            #expect(Set(try await store.uids { $0.narrow(by: .tag("feed.*")) }) == ["uid-1", "uid-2"])
            // As in the filter language, a malformed tag pattern is a text pattern.
            #expect(Set(try await store.uids { $0.narrow(by: .tag("a*b")) }) == ["uid-0", "uid-4"])
        },
        ConformanceCase(name: "A histogram of extreme times counts the records of its buckets") { store async throws in
            let times: [Int64] = [.min, -1, 0, 1_700_000_000_000_000_000, .max]
            try await store.append(
                RecordBatch(rows: times.enumerated().map { place, time in .sample(place).with { $0.time = time } }))
            for (start, width, count) in [
                (Int64.min, Int64.max, 1), (.min, .max, 1_000), (-1, .max, 1_000), (0, .max, 1), (.max, .max, 2),
            ] {
                let query = HistogramQuery(start: start, width: width, count: count)
                let expected = times.filter { time in time >= start && query.end.map { time < $0 } ?? true }.count
                let counted = try await store.histogram(query).counts["event"]?.reduce(0, +) ?? 0
                #expect(counted == expected, "\(start) \(width) \(count)")
            }
        },
        ConformanceCase(name: "Sessions and tags of any length match only as a whole") { store async throws in
            let long = String(repeating: "長", count: 2_000)
            try await store.append(RecordBatch(rows: [.sample(1, tag: long, session: long), .sample(2, session: "s")]))
            let bySession = FilterExpression.field(.session, long)
            for condition in [bySession, .tag(long)] {
                let filter = RecordFilter(condition)
                let histogram = HistogramQuery(filter: filter, start: 0, width: 1_000, count: 10)
                #expect(try await store.histogram(histogram).counts["event"]?.reduce(0, +) == 1)
                // A predicate runs as code, beside the SQL.
                for predicate in [nil, RecordPredicate(name: "all") { _ in true }] {
                    #expect(
                        try await store.uids { query in
                            query.filter = filter
                            query.filter.predicate = predicate
                        } == ["uid-1"])
                    #expect(
                        try await store.uids { query in
                            query.narrow(by: .not(condition))
                            query.filter.predicate = predicate
                        } == ["uid-2"])
                }
            }
            #expect(try await store.erase(RecordFilter(bySession)) == 1)
        },
        ConformanceCase(name: "A time range includes its start and excludes its end") { store async throws in
            try await store.append(RecordBatch(rows: (1...5).map { .sample($0) }))
            #expect(
                try await store.uids { query in
                    query.narrow(by: .since(2_000))
                    query.narrow(by: .until(4_000))
                } == ["uid-3", "uid-2"])
        },
        ConformanceCase(name: "Tag patterns match as in routes") { store async throws in
            let tags = ["feed", "feed.show", "feed.show.twice", "feeder.x", "feed/x", "other", ""]
            try await store.append(
                RecordBatch(rows: tags.enumerated().map { .sample($0.offset, tag: $0.element) }))
            func found(_ pattern: String) async throws -> [String] {
                let page = try await store.page { query in
                    query.narrow(by: .tag(pattern))
                    query.order = .oldestFirst
                }
                return page.map(\.row.tag)
            }
            #expect(try await found("feed.**") == ["feed", "feed.show", "feed.show.twice"])
            #expect(try await found("feed.*") == ["feed.show"])
            #expect(try await found("feed.show.*") == ["feed.show.twice"])
            #expect(try await found("feed") == ["feed"])
            #expect(try await found("*") == ["feed", "feed/x", "other"])
            #expect(try await found("**") == tags)
            #expect(try await found("") == [""])
            #expect(try await found("f*w") == ["feed.show"])
        },
        ConformanceCase(name: "An exclusion removes the records that meet all of its conditions") {
            store async throws in
            try await store.append(
                RecordBatch(rows: [
                    .sample(1, tag: "a", session: "x"), .sample(2, tag: "a"), .sample(3, tag: "b", session: "x"),
                    .sample(4, tag: "b", message: "noise"),
                ]))
            func excluded(_ conditions: FilterExpression...) async throws -> [String] {
                try await store.uids { query in
                    query.order = .oldestFirst
                    for condition in conditions { query.narrow(by: .not(condition)) }
                }
            }
            // A record without a session passes an excluded session.
            #expect(try await excluded(.field(.session, "x")) == ["uid-2", "uid-4"])
            #expect(try await excluded(.tag("a"), .text("NOISE")) == ["uid-3"])
            #expect(try await excluded(.all([.tag("a"), .field(.session, "x")])) == ["uid-2", "uid-3", "uid-4"])
            #expect(try await excluded(.everything) == [])
            #expect(try await excluded(.not(.everything)) == ["uid-1", "uid-2", "uid-3", "uid-4"])
        },
        ConformanceCase(name: "A predicate applies in addition to the other conditions") { store async throws in
            try await store.append(RecordBatch(rows: (1...9).map { .sample($0, tag: $0 < 6 ? "a" : "b") }))
            let isEven = RecordPredicate(name: "even") { $0.time % 2_000 == 0 }
            #expect(
                try await store.uids { query in
                    query.narrow(by: .tag("a"))
                    query.filter.predicate = isEven
                } == ["uid-4", "uid-2"])
        },
        ConformanceCase(name: "A record is found by number or UID, and so are its neighbours") {
            store async throws in
            try await store.append(RecordBatch(rows: (1...9).map { .sample($0, tag: $0 % 2 == 0 ? "a" : "b") }))
            #expect(try await store.record(id: 4)?.row.uid == "uid-4")
            #expect(try await store.record(id: 10) == nil)
            #expect(try await store.record(id: 0) == nil)
            #expect(try await store.record(id: .max) == nil)
            #expect(try await store.record(uid: "uid-7")?.id == 7)
            #expect(try await store.record(uid: "uid-70") == nil)
            let around = try await store.neighbours(of: 2, count: 3)
            #expect(around.before.map(\.id) == [1])
            #expect(around.after.map(\.id) == [3, 4, 5])
            var filter = RecordFilter()
            filter.narrow(by: .tag("a"))
            let same = try await store.neighbours(of: 6, count: 1, matching: filter)
            #expect(same.before.map(\.id) == [4])
            #expect(same.after.map(\.id) == [8])
        },
    ]

    static let slicing: [ConformanceCase] = [
        ConformanceCase(name: "A full page says where the next begins, and the last page says that none follows") {
            store async throws in
            try await store.append(RecordBatch(rows: (1...7).map { .sample($0) }))
            for order in [RecordQuery.Order.newestFirst, .oldestFirst] {
                var query = RecordQuery()
                query.order = order
                query.limit = 3
                var ids: [Int64] = []
                var pages = 0
                while pages < 20 {
                    pages += 1
                    let slice = try await store.slice(query)
                    ids += slice.records.map(\.id)
                    #expect(slice.progress.done <= slice.progress.total)
                    guard let next = slice.next else { break }
                    query = query.resumed(at: next)
                }
                #expect(ids == (order == .newestFirst ? (1...7).reversed() : Array(1...7)))
            }
        },
        ConformanceCase(name: "Slices without any time still make progress, and together find everything") {
            store async throws in
            try await store.append(
                RecordBatch(rows: (1...12_000).map { .sample($0, tag: $0 % 5_000 == 7 ? "rare" : "usual") }))
            var query = RecordQuery()
            query.narrow(by: .tag("rare"))
            query.budget = .zero
            var ids: [Int64] = []
            var calls = 0
            while calls < 20_000 {
                calls += 1
                let slice = try await store.slice(query)
                ids += slice.records.map(\.id)
                guard let next = slice.next else { break }
                #expect(slice.isPartial)
                query = query.resumed(at: next)
            }
            #expect(ids == [10_007, 5_007, 7])
            #expect(try await store.uids { $0.narrow(by: .tag("rare")) } == ["uid-10007", "uid-5007", "uid-7"])
        },
    ]
}
