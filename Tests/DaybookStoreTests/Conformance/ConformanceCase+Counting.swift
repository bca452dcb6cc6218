import DaybookBase
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookStore

extension ConformanceCase {
    static let counting: [ConformanceCase] = [
        ConformanceCase(name: "A histogram counts by time and kind within its bounds") {
            store async throws in
            try await store.append(
                RecordBatch(rows: [
                    .sample(1, kind: .event), .sample(2, kind: .event), .sample(2, kind: .error, level: 17),
                    .sample(5, kind: .event, level: 17), .sample(9, kind: .event),
                ]))
            let query = HistogramQuery(start: 1_000, width: 2_000, count: 4)
            #expect(try await store.counts(query) == ["event": [2, 0, 1, 0], "error": [1, 0, 0, 0]])
            var levels = query
            levels.split = .level
            #expect(try await store.counts(levels) == ["9": [2, 0, 0, 0], "17": [1, 0, 1, 0]])
            var filtered = query
            filtered.filter.narrow(by: .level(atLeast: 17))
            filtered.filter.narrow(by: .until(5_000))
            #expect(try await store.counts(filtered) == ["error": [1, 0, 0, 0]])
            var judged = query
            judged.filter.predicate = RecordPredicate(name: "late") { $0.time > 2_000 }
            #expect(try await store.counts(judged) == ["event": [0, 0, 1, 0]])
        },
        ConformanceCase(name: "A histogram with buckets of a minute separates minutes and hours") {
            store async throws in
            let minute: Int64 = 60_000_000_000
            let rows = [0, 1, 59, 60, 61, 119, 120].map { number in
                RecordRow.sample(number).with { $0.time = Int64(number) * minute }
            }
            try await store.append(RecordBatch(rows: rows))
            #expect(
                try await store.counts(HistogramQuery(start: 0, width: 60 * minute, count: 3)) == ["event": [3, 3, 1]])
            #expect(
                try await store.counts(HistogramQuery(start: 59 * minute, width: minute, count: 3))
                    == ["event": [1, 1, 1]])
            #expect(
                try await store.counts(HistogramQuery(start: minute / 2, width: minute, count: 2))
                    == ["event": [1, 0]])
        },
        ConformanceCase(name: "Facets list the values of columns, most frequent first") { store async throws in
            try await store.append(
                RecordBatch(rows: [
                    RecordRow.sample(1, tag: "b", session: "x").with { $0.module = "App" },
                    RecordRow.sample(2, tag: "a", session: "x").with { $0.context = #"{"service.version":"1.0"}"# },
                    RecordRow.sample(3, tag: "a", kind: .error, level: 17).with { $0.installation = "i" },
                ]))
            let all = try await store.values(FacetQuery(fields: FacetQuery.Field.allCases))
            #expect(all[.tag] == ["a": 2, "b": 1])
            #expect(all[.kind] == ["event": 2, "error": 1])
            #expect(all[.level] == ["9": 2, "17": 1])
            #expect(all[.module] == ["App": 1])
            #expect(all[.session] == ["x": 2])
            #expect(all[.version] == ["1.0": 1])
            #expect(all[.installation] == ["i": 1])
            var filter = RecordFilter()
            filter.narrow(by: .tag("a"))
            #expect(
                try await store.values(FacetQuery(filter: filter, fields: [.kind])) == [
                    .kind: ["event": 1, "error": 1]
                ])
            #expect(try await store.values(FacetQuery(fields: [])) == [:])
        },
        ConformanceCase(name: "Counts of a truncated facet are too low by at most the stated error") {
            store async throws in
            var random = SeededGenerator(seed: 22)
            var expected: [String: Int64] = [:]
            var rows: [RecordRow] = []
            for number in 0..<14_000 {
                // A few values are frequent; most occur once or twice.
                let value =
                    Int.random(in: 0...9, using: &random) == 0 ? number % 7 : Int.random(in: 7...60_000, using: &random)
                expected["\(value)", default: 0] += 1
                rows.append(.sample(number, tag: "t\(number % 300)", attributes: "{\"n\":\(value)}"))
            }
            for start in stride(from: 0, to: rows.count, by: 3_500) {
                try await store.append(RecordBatch(rows: Array(rows[start..<start + 3_500])))
            }
            let column = FacetQuery.Field.attribute("n")
            var query = FacetQuery(fields: [column, .tag])
            query.budget = .zero
            query.limit = 5
            query.before = .max
            var (counts, tags): ([String: Int64], [String: Int64]) = ([:], [:])
            var (missing, left, total): (Int64, Int64, Int64) = (0, 0, 0)
            repeat {
                let part = try await store.facets(query)
                for value in part.values[column] ?? [] { counts[value.value, default: 0] += value.count }
                for value in part.values[.tag] ?? [] { tags[value.value, default: 0] += value.count }
                missing += part.cut[column]?.most ?? 0
                left += part.cut[column]?.records ?? 0
                query.before = part.next
            } while query.before != nil
            total = counts.values.reduce(0, +)
            #expect(total + left == 14_000)
            for (value, count) in expected {
                let found = counts[value] ?? 0
                #expect(found <= count && count <= found + missing, "\(value): \(found), not \(count)")
            }
            // Values within a part's limit are counted exactly.
            #expect(tags.count == 300 && tags.values.reduce(0, +) == 14_000)
            // A complete answer says what it leaves out.
            query.budget = .seconds(60)
            let whole = try await store.facets(query)
            if whole.next == nil {
                #expect(whole.values[column]?.count == 5 && whole.values[.tag]?.count == 5)
                let most = expected.values.sorted(by: >)
                #expect(whole.values[column]?.map(\.count) == Array(most.prefix(5)))
                #expect(
                    whole.cut[column]
                        == Facets.Cut(
                            values: Int64(expected.count - 5), records: 14_000 - most.prefix(5).reduce(0, +),
                            most: most[5]))
            }
        },
        ConformanceCase(name: "Records are counted by any parameter's value, their own or from the context") {
            store async throws in
            let screen = FacetQuery.Field.attribute("screen")
            let values = [
                #"{"screen":"home"}"#, #"{"screen":"home","count":2}"#, #"{"screen":5}"#, #"{"screen":true}"#,
                #"{"screen":null}"#, #"{"screen":["home"]}"#, "{}", #"{"other":"screen"}"#,
                #"{"screen":"secret","daybook.private":["screen"]}"#, #"{"\u0073creen":"home"}"#,
            ]
            var rows = values.enumerated().map { index, value in
                RecordRow.sample(index + 1, tag: index < 4 ? "a" : "b", attributes: value).with {
                    $0.time = Int64(index)
                }
            }
            rows[6].context = #"{"screen":"common"}"#
            rows[1].context = #"{"screen":"not this"}"#
            try await store.append(RecordBatch(rows: rows))
            var facets = FacetQuery(fields: [screen, .tag])
            let expected: [ExactText: Int64] = ["home": 3, "5": 1, "true": 1, "common": 1]
            let stored = expected.merging(["secret": 1]) { $1 }
            #expect(try await store.values(facets) == [screen: stored, .tag: ["a": 4, "b": 6]])
            facets.filter.sight = .masked(MaskingPolicy())
            #expect(try await store.values(facets)[screen] == expected.merging(["[private]": 1]) { $1 })
            facets.filter.sight = .masked(MaskingPolicy(private: ["screen"], open: ["b": ["screen"]]).withPseudonyms())
            let masked = try await store.values(facets)[screen] ?? [:]
            #expect(masked["home"] == 1 && masked["true"] == nil && masked.values.reduce(0, +) == 7)
            var filter = RecordFilter()
            filter.narrow(by: .tag("a"))
            #expect(
                try await store.values(FacetQuery(filter: filter, fields: [screen]))
                    == [screen: ["home": 2, "5": 1, "true": 1]])
            var histogram = HistogramQuery(
                start: 0, width: 5, count: 2, split: .values(["home", "common", "none"], of: screen))
            let counted = try await store.whole(histogram)
            #expect(counted.counts == ["home": [2, 1], "common": [0, 1]] && counted.others == [3, 3])
            histogram.split = .values(["a"], of: .tag)
            let tags = try await store.whole(histogram)
            #expect(tags.counts == ["a": [4, 0]] && tags.others == [1, 5])
            histogram.split = .values([], of: .version)
            #expect(try await store.whole(histogram).others == [5, 5])
        },
        ConformanceCase(name: "Filtering by a counted value finds exactly the records counted") { store async throws in
            var random = SeededGenerator(seed: 20)
            let column = FacetQuery.Field.attribute("n")
            var values = [
                "30", "30.0", "3e1", "300e-1", "-0", "0", "0.0", "1E2", "100", "0.1", "1e-1", "1e-7", "-2.50", "1e22",
                "9007199254740992", "9007199254740993", "9007199254740992.0", "9223372036854775807", "true", "false",
                "null", "[30]", #"{"n":30}"#,
            ]
            for text in [
                "30", "30.0", "3e1", "030", "+30", "true", "null", "", " a", "a b", "a,b", "“x”", "'x'", "`", ">=5",
                "x*",
                "1..2", "a\\b", "[x]", "(x)", "x&&y", "\u{FEFF}x", "卵", "AND", "1…2", "＝x",
            ] { values.append(JSONWriter.text(.string(text))) }
            // Canonically equivalent spellings: letters with marks, Hangul, compatibility signs.
            for letter in [
                "A", "e", "\u{212B}", "\u{2126}", "\u{AC00}", "q\u{307}\u{323}", "か\u{3099}", "\u{1E9B}\u{323}",
            ] {
                for mark in ["", "\u{308}", "\u{301}", "\u{323}\u{307}", "\u{307}\u{323}", "\u{344}"] {
                    let text = letter + mark
                    let forms = [
                        text, text.precomposedStringWithCanonicalMapping, text.decomposedStringWithCanonicalMapping,
                    ]
                    values += forms.map { JSONWriter.text(.string($0)) }
                }
            }
            for _ in 0..<TestLength.trials(20, long: 100) {
                let whole = Int64.random(in: -40...40, using: &random)
                let scale = Int.random(in: 0...3, using: &random)
                values += [
                    "\(whole)", "\(whole).0", "\(whole)e\(scale)", "\"\(whole)e\(scale)\"", "\(Double(whole) / 8)",
                ]
            }
            let rows = values.enumerated().map { place, value in
                let text = "{\"n\":\(value)}"
                return RecordRow.sample(place + 1, attributes: place % 3 == 0 ? "{}" : text).with {
                    if place % 3 == 0 { $0.context = text }
                }
            }
            try await store.append(RecordBatch(rows: rows))
            var facets = FacetQuery(fields: [column])
            facets.limit = 1_000
            let counted = try await store.values(facets)[column] ?? [:]
            var found: Set<String> = []
            for (key, count) in counted {
                let value = key.text
                let isBare = FilterNumber(value)?.text == value || value == "true" || value == "false"
                var query = RecordQuery()
                query.limit = 1_000
                let text = "n=" + (isBare ? value : FilterTerm.quoted(value))
                query.narrow(by: try #require(try FilterParser.parse(text, now: 0).expression))
                let uids = try await store.page(query).map(\.row.uid)
                #expect(uids.count == Int(count), "\(value): \(count) counted, \(uids.count) found")
                #expect(found.isDisjoint(with: uids), "\(value)")
                found.formUnion(uids)
            }
            #expect(found.count == rows.count - 3)
            // Four numbers and a text can have this value.
            #expect((counted["30"] ?? 0) >= 5)
            let series = HistogramQuery(start: 0, width: .max, count: 1, split: .values(Set(counted.keys), of: column))
            #expect(try await store.whole(series).counts.mapValues { $0.reduce(0, +) } == counted)
        },
        ConformanceCase(name: "Sessions are summarised, latest first") { store async throws in
            try await store.append(
                RecordBatch(rows: [
                    RecordRow.sample(5, session: "x").with { row in
                        row.installation = "i"
                        row.context = #"{"service.version":"2.0","device.model.name":"Phone"}"#
                    },
                    RecordRow.sample(1, level: 17, session: "x").with { $0.installation = "i" },
                    RecordRow.sample(7, session: "y").with { row in
                        row.installation = "j"
                        row.context = #"{"device.model.identifier":"p1"}"#
                    },
                    .sample(9),
                ]))
            let sessions = try await store.sessions(SessionQuery())
            #expect(
                sessions == [
                    SessionSummary(
                        session: "y", installation: "j", device: "p1", count: 1, errors: 0, firstTime: 7_000,
                        lastTime: 7_000),
                    SessionSummary(
                        session: "x", installation: "i", version: "2.0", device: "Phone", count: 2, errors: 1,
                        firstTime: 1_000, lastTime: 5_000),
                ])
            var query = SessionQuery()
            query.limit = 1
            #expect(try await store.sessions(query).map(\.session) == ["y"])
            query.before = sessions[0].place
            #expect(try await store.sessions(query).map(\.session) == ["x"])
            query = SessionQuery()
            query.installation = "i"
            #expect(try await store.sessions(query).map(\.session) == ["x"])
            for (words, found) in [
                ("ＰＨＯＮＥ 2.0", ["x"]), ("P", ["y", "x"]), ("j P1", ["y"]), ("phone j", []), (" ", ["y", "x"]),
            ] {
                query = SessionQuery()
                query.search = words
                #expect(try await store.sessions(query).map(\.session) == found, "\(words)")
            }
            query.search = "p"
            query.limit = 1
            query.before = sessions[0].place
            #expect(try await store.sessions(query).map(\.session) == ["x"])
        },
        ConformanceCase(name: "Paging through sessions lists each once, even if many end at the same time") {
            store async throws in
            var random = SeededGenerator(seed: 7)
            let long = String(repeating: "s", count: 600)
            let names =
                ["é", "e", "Z", "a", "卵", "ｶ", "b b", "-1.5", "'q'", long, long + "a"] + (0..<30).map { "s\($0)" }
            let rows = names.enumerated().map { number, name in
                RecordRow.sample(number, session: name).with { row in
                    row.time = Int64(Int.random(in: 1...4, using: &random)) * 1_000
                    row.installation = number % 3 == 0 ? "i" : "j"
                }
            }
            try await store.append(RecordBatch(rows: rows.shuffled(using: &random)))
            for installation in [nil, "i"] {
                let expected = rows.filter { installation == nil || $0.installation == installation }
                    .sorted { left, right in
                        guard left.time == right.time else { return left.time > right.time }
                        return (left.session ?? "").utf8.lexicographicallyPrecedes((right.session ?? "").utf8)
                    }.map { $0.session ?? "" }
                for limit in [1, 2, 3, 7, 50] {
                    var query = SessionQuery()
                    (query.limit, query.installation) = (limit, installation)
                    var found: [String] = []
                    repeat {
                        let page = try await store.sessions(query)
                        found += page.map(\.session)
                        query.before = page.last?.place
                        if page.count < limit { break }
                    } while found.count <= names.count
                    #expect(found == expected, "pages of \(limit)")
                }
            }
        },
        ConformanceCase(name: "Time bounds do not depend on the order of arrival") { store async throws in
            #expect(try await store.timeBounds(within: nil) == nil)
            try await store.append(RecordBatch(rows: [.sample(5), .sample(2), .sample(9), .sample(3)]))
            #expect(try await store.timeBounds(within: nil) == 2_000...9_000)
        },
        ConformanceCase(name: "Tags are summarised by version") { store async throws in
            let newer = RecordRow.sample(4, tag: "a").with { $0.context = #"{"service.version":"2.0"}"# }
            try await store.append(RecordBatch(rows: [.sample(1, tag: "a"), newer, newer]))
            let summaries = try await store.tagSummaries(after: nil).summaries
            #expect(
                summaries == [
                    TagSummary(tag: "a", kind: "event", count: 1, firstTime: 1_000, lastTime: 1_000),
                    TagSummary(tag: "a", kind: "event", version: "2.0", count: 2, firstTime: 4_000, lastTime: 4_000),
                ])
            #expect(
                summaries.mergingVersions() == [
                    TagSummary(tag: "a", kind: "event", count: 3, firstTime: 1_000, lastTime: 4_000)
                ])
        },
    ]
}
