import DaybookBase
import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

extension ConformanceCase {
    /// Questions by readers who see records masked.
    static let seeing: [ConformanceCase] = [
        ConformanceCase(name: "A filter reveals nothing about values that its reader may not see") {
            store async throws in
            // Other records and questions for each engine, since much of what answers is the same code.
            let engine = store.dialect.flatMap { StoreDialect.allCases.firstIndex(of: $0) } ?? -1
            var random = SeededGenerator(seed: UInt64(38 + engine))
            var rows: [RecordRow] = []
            for number in 0..<TestLength.trials(40, long: 80) {
                let open = HiddenWorld.open(number, &random)
                rows.append(HiddenWorld.row(number * 2, "one", open, &random))
                rows.append(HiddenWorld.row(number * 2 + 1, "other", open, &random))
            }
            try await store.append(RecordBatch(rows: rows))
            var found = 0
            for _ in 0..<TestLength.trials(40, long: 120) {
                let text = HiddenWorld.question(&random)
                guard let expression = try? FilterParser.parse(text, now: 0).expression else { continue }
                var answers: [[Int]] = []
                for session in ["one", "other"] {
                    var filter = RecordFilter()
                    filter.sight = .masked(HiddenWorld.policy)
                    filter.narrow(by: .field(.session, session))
                    filter.narrow(by: expression)
                    answers.append(try await HiddenWorld.answers(filter, of: store))
                }
                #expect(answers[0] == answers[1], "\(text)")
                found += answers[0].isEmpty ? 0 : 1
            }
            #expect(found > TestLength.trials(8, long: 30))
            // Open values are found beside private ones, and nothing else is.
            for (text, expected) in [
                ("egg", true), ("screen=home", true), ("has:mail", true), ("message=\"plain egg\"", true),
                ("hunter2", false), ("ann", false), ("\"[private]\"", false), ("redacted", false),
            ] {
                var filter = RecordFilter()
                filter.sight = .masked(HiddenWorld.policy)
                filter.narrow(by: try #require(try FilterParser.parse(text, now: 0).expression))
                #expect(try await HiddenWorld.answers(filter, of: store).isEmpty != expected, "\(text)")
            }
        }
    ]
}

/// Partly private records, in two versions that differ only in private values, and questions about them.
private enum HiddenWorld {
    static let policy = MaskingPolicy(private: ["mail", "age", "user_id"], open: ["feed.show": ["mail"]])
    private static let words = ["egg", "soup", "home", "ann", "a@b", "hunter2", "4", "40", "x"]

    /// The part of a record that everyone sees.
    struct Open {
        var tag: String
        var screen: String
        var count: Int
        var name: String
        var message: Int
    }

    static func open(_ number: Int, _ random: inout some RandomNumberGenerator) -> Open {
        Open(
            tag: ["user.sign_up", "feed.show", "feed.hide"].randomElement(using: &random) ?? "",
            screen: ["home", "search egg", "soup"].randomElement(using: &random) ?? "",
            count: Int.random(in: 0...9, using: &random),
            name: [
                "mail", "MAIL", "m ail", "ｍａｉｌ", "ma\u{FEFF}il", "ma\u{0}il".storable, "mail\u{FFFD}", "age", "user_id",
            ].randomElement(using: &random)
                ?? "",
            message: Int.random(in: 0...4, using: &random))
    }

    static func row(
        _ number: Int, _ session: String, _ open: Open, _ random: inout some RandomNumberGenerator
    ) -> RecordRow {
        func secret() -> String {
            (0...Int.random(in: 0...2, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }.joined(
                separator: [" ", "\\\"", ":", ""].randomElement(using: &random) ?? "")
        }
        func value() -> String {
            ["\"\(secret())\"", "\(Int.random(in: 0...99, using: &random))", "{\"egg\":[\"\(secret())\"]}", "true"]
                .randomElement(using: &random) ?? ""
        }
        let isOpen = open.tag == "feed.show" && FoldedName.of(open.name) == "mail"
        let members = [
            "\"screen\":\"\(open.screen)\"", "\"\(open.name)\":\(isOpen ? "\"open\"" : value())",
            "\"count\":\(open.count)",
            "\"told\":\(value())", "\"daybook.private\":[\"told\"]", "\"api_key\":\(value())",
            "\"nested\":{\"age\":\(value()),\"plan\":\"free\"}",
            "\"body\":\"{\\\"user_id\\\":\(Int.random(in: 0...99, using: &random)),\\\"page\\\":\(open.count)}\"",
        ]
        var row = RecordRow.sample(
            number, tag: open.tag, attributes: "{\(members.joined(separator: ","))}", session: session)
        row.time = Int64(number / 2)
        row.context = "{\"user_id\":\(value()),\"plan\":\"free\"}"
        let word = words.randomElement(using: &random) ?? ""
        row.message =
            [
                "plain egg", "sent with token=\(word)\(word) to home", "got {\"mail\": \"\(word)\"} egg",
                "{\"mail\":\"\(word)\",\"soup\":1}", nil,
            ][open.message]
        return row
    }

    static func question(_ random: inout some RandomNumberGenerator, depth: Int = 0) -> String {
        func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }
        let column = pick([
            "mail", "age", "user_id", "told", "api_key", "nested", "body", "MAIL", "\"m ail\"", "screen", "count",
            "plan",
            "message",
        ])
        let value = pick(words + ["private", "redacted", "*a*", "*4*", "[pri*", "*]", "\"[private]\"", "true", "open"])
        let term = pick([
            "\(column)=\(value)", "\(column)>\(Int.random(in: -1...99, using: &random))", "has:\(column)", value,
            pick(["egg", "home", "\"mail\"", "page", "{", "\":", "n h", "\"\\\"\"", "e", "1", ","]),
            "\(column)=*\(value)*",
        ])
        guard depth < 2 else { return term }
        return switch Int.random(in: 0...5, using: &random) {
        case 0: "-(\(question(&random, depth: depth + 1)))"
        case 1: "(\(question(&random, depth: depth + 1)) OR \(term))"
        case 2: "\(question(&random, depth: depth + 1)) \(term)"
        default: term
        }
    }

    /// The positions of the matching records, by each way of asking.
    static func answers(_ filter: RecordFilter, of store: any EventStore) async throws -> [Int] {
        let page = try await store.page {
            $0.filter = filter
            $0.limit = 1_000
        }
        var byTime = TimeQuery(filter: filter)
        byTime.limit = 1_000
        let places = page.map { Int($0.row.time) }
        #expect(try await store.slice(byTime).records.map { Int($0.row.time) }.sorted() == places.sorted())
        let kinds = try await store.values(FacetQuery(filter: filter, fields: [.kind]))[.kind] ?? [:]
        #expect(kinds.values.reduce(0, +) == Int64(places.count))
        let counts = try await store.counts(HistogramQuery(filter: filter, start: 0, width: 1_000, count: 1))
        #expect(counts.values.flatMap(\.self).reduce(0, +) == Int64(places.count))
        return places
    }
}
