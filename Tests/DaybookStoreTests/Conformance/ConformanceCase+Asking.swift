import DaybookBase
import DaybookStore
import DaybookTrials
import Testing

extension ConformanceCase {
    static let asking: [ConformanceCase] = [
        ConformanceCase(name: "Any filter finds the same records as in memory") { store async throws in
            var numbers = FilterNumbers(seed: 20)
            let rows = (0..<120).map { RandomFilter.row($0, &numbers) }
            try await store.append(RecordBatch(rows: rows))
            for _ in 0..<TestLength.trials(60, long: 150) {
                let text = RandomFilter.text(&numbers, depth: 0)
                let expression = try FilterParser.parse(text, now: 60_000).expression
                #expect(
                    try FilterParser.parse(expression?.description ?? "", now: 0).expression == expression, "\(text)")
                var filter = RecordFilter()
                if let expression { filter.narrow(by: expression) }
                let match = FilterMatch(filter)
                let expected = rows.filter { match.matches($0) }.map(\.uid)
                let found = try await store.page { query in
                    query.filter = filter
                    query.order = .oldestFirst
                    query.limit = 1_000
                }
                #expect(found.map(\.row.uid) == expected, "\(text)")
                var byTime = TimeQuery(filter: filter)
                byTime.limit = 1_000
                #expect(Set(try await store.slice(byTime).records.map(\.row.uid)) == Set(expected), "\(text)")
                var histogram = HistogramQuery(filter: filter, start: 0, width: 1_000_000, count: 1)
                var counted: Int64 = 0
                repeat {
                    let part = try await store.histogram(histogram)
                    counted += part.counts.values.flatMap(\.self).reduce(0, +)
                    histogram.before = part.next
                } while histogram.before != nil
                #expect(counted == Int64(expected.count), "\(text)")
            }
        },
        ConformanceCase(name: "A search for かたかな finds カタカナ") { store async throws in
            try await store.append(
                RecordBatch(rows: [
                    .sample(1, message: "カタカナの検索"), .sample(2, attributes: #"{"q":"かたかな"}"#),
                    .sample(3, message: "ｶﾀｶﾅ"),
                    .sample(4, message: "かな"),
                ]))
            for text in ["かたかな", "カタカナ", "ｶﾀｶﾅ"] {
                #expect(try await store.uids { $0.narrow(by: .text(text)) } == ["uid-3", "uid-2", "uid-1"], "\(text)")
            }
        },
        ConformanceCase(name: "An erasure by a search term leaves no trace of the installation") { store async throws in
            var batch = RecordBatch.numbered("s", (0, 2), 1...2)
            for index in batch.rows.indices { batch.rows[index].installation = "secret" }
            try await store.append(batch)
            var filter = RecordFilter()
            filter.narrow(by: .term(.field(.installation, .text("secret"))))
            #expect(try await store.erase(filter) == 2)
            #expect(try await store.ledger(LedgerQuery()).ledgers.map(\.installation) == [nil])
        },
    ]
}

/// The same numbers in every run, from a linear congruential generator.
struct FilterNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// Random filters and records with values in common.
private enum RandomFilter {
    private static let values = [
        "30", "\"30\"", "30.0", "-2.5", "9007199254740993", "9007199254740992", "true", "\"true\"", "null", "\"\"",
        "\"popular\"", "\"Popular\"", "\"pop%_ular\"", "\"卵 かな\"", "\"カナ\"", "[30]", "{\"order\":30}",
        "\"a\\\"b\\\\c\"",
        "\"line\\nend\"", "1e3", "0",
    ]
    private static let columns = ["order", "price", "順序", "a b", "x\\\"y"]
    private static let asked = [
        "30", "\"30\"", "30.0", "-2.5", "9007199254740993", "true", "\"true\"", "popular", "pop*", "*lar", "*p*r*", "*",
        "pop%*", "\"卵 かな\"", "卵*", "カナ", "\"a\\\"b\\\\c\"", "\"line\\nend\"", "1000", "\"\"", "0", "x?y",
    ]
    private static let names = ["order", "price", "順序", "\"a b\"", "\"x\\\"y\""]

    static func row(_ number: Int, _ numbers: inout FilterNumbers) -> RecordRow {
        func object(_ numbers: inout FilterNumbers) -> String {
            let members = columns.filter { _ in numbers.below(3) == 0 }.map { "\"\($0)\":\(numbers.one(of: values))" }
            return "{" + members.joined(separator: ",") + "}"
        }
        var row = RecordRow.sample(
            number, tag: numbers.one(of: ["feed.show", "feed", "feed.item.open", "show", "検索.show", "a*b"]),
            kind: numbers.one(of: Kind.allCases), level: numbers.below(25),
            message: numbers.one(of: [nil, "Egg soup", "ｴｯｸﾞ", "30", "100%"]), attributes: object(&numbers),
            session: numbers.one(of: [nil, "s1", "s2"]))
        row.context = numbers.one(of: [
            "{}", #"{"service.version":"2.1","device.model.identifier":"Phone"}"#, object(&numbers),
            #"{"service.version":"2.10","order":"popular","device.model.name":"Phone 3","filler":"\#(String(repeating: "x", count: 80))"}"#,
        ])
        row.duration = numbers.one(of: [nil, 5, 300_000_000])
        row.module = numbers.one(of: [nil, "App"])
        row.file = numbers.one(of: [nil, "App/Menu.swift"])
        return row
    }

    static func text(_ numbers: inout FilterNumbers, depth: Int) -> String {
        let parts = (0...numbers.below(depth == 0 ? 4 : 2)).map { _ in part(&numbers, depth: depth) }
        return parts.joined(separator: numbers.one(of: [" ", " ", " OR ", " AND "]))
    }

    private static func part(_ numbers: inout FilterNumbers, depth: Int) -> String {
        let sign = numbers.one(of: ["", "", "", "-", "NOT "])
        if depth < 3, numbers.below(4) == 0 { return sign + "(" + text(&numbers, depth: depth + 1) + ")" }
        return sign + term(&numbers)
    }

    private static func term(_ numbers: inout FilterNumbers) -> String {
        let name = numbers.one(of: names)
        switch numbers.below(8) {
        case 0, 1: return name + numbers.one(of: ["=", ":", "!="]) + numbers.one(of: asked)
        case 2: return name + "=" + numbers.one(of: asked) + "," + numbers.one(of: asked)
        case 3:
            return name
                + numbers.one(of: [">=30", ">-3", "<30", "<=9007199254740992", ":-3..30", ":30..", ":..29.5", "<1e3"])
        case 4: return "has:" + name
        case 5:
            return numbers.one(of: [
                "egg", "30", "\"100%\"", "エッグ", "ぽ", "\"卵 カ\"", "popular", "かな", "\"\\\"b\"", "line\\nend", "x?",
            ])
        case 6:
            return numbers.one(of: [
                "level>=warn", "level:debug..info", "level=trace", "level<info", "level>error", "duration>=300ms",
                "duration<1us", "after:1970-01-01T00:00:00.00005Z", "before:1970-01-01T00:00:00.00009", "last:30us",
            ])
        default:
            return numbers.one(of: [
                "tag=feed.*", "tag=feed.**", "tag=feed", "tag=*show*", "name=show", "name=s*", "name=feed.show",
                "tag=a\\*b", "kind=event,span", "session=s1", "session=s*", "version=2.1", "version=2.*",
                "device=Phone*", "device=\"Phone 3\"", "module=App", "file=App/*", "message=30", "message=*soup",
                "uid=uid-7", "uid=uid-1*",
            ])
        }
    }
}
