import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookStore

/// Five functions read the tree of a filter: text, address, SQL, index probe and row test. Random trees go through all.
@Suite(.temporaryDirectory) struct FilterTreeTests {
    private let directory = TemporaryDirectory.current
    private static let rounds = 400

    @Test("The text of a tree reads back as that tree") func treeTextReadsBack() throws {
        var random = RandomTree(seed: 38)
        for _ in 0..<Self.rounds * 5 {
            let tree = random.tree()
            let text = tree.description
            #expect(try FilterParser.parse(text, now: 0).expression == tree, "\(text)")
        }
    }

    @Test("The address of a filter reads back as that filter") func addressReadsBack() throws {
        let reading = FilterContext(
            defined: DefinedEvents(Definitions()), disclosure: Disclosure(masking: MaskingPolicy(), tell: { _ in }),
            now: { 0 })
        var random = RandomTree(seed: 380)
        for round in 0..<Self.rounds {
            var filter = RecordFilter(random.tree())
            if round % 3 == 0 { filter.receivedBefore = random.time() }
            if round % 2 == 0 { filter = filter.withoutOwn }
            let parameters = try filter.parameters()
            var reader = ParameterReader(parameters, reading, sight: .whole)
            try reader.read(own: []) { _, _ in }
            let read = reader.filter.filter
            let others = [read, filter].map { Set($0.expression.conjuncts.filter { !$0.isTime }) }
            #expect(others[0] == others[1] && read.expression.times == filter.expression.times, "\(parameters)")
            #expect(read.receivedBefore == filter.receivedBefore)
        }
    }

    @Test("A store, by SQL and its index, answers as the test of a row") func storeMatchesRowTest() async throws {
        var random = RandomTree(seed: 3_800)
        let rows = (0..<400).map { random.row($0) }
        let store = try SQLiteStore(path: directory.file("store.sqlite"))
        try await store.append(RecordBatch(rows: Array(rows.prefix(300))))
        // The first records are read through the index.
        try SQLiteFile(directory.file("store.sqlite")).completeExtent()
        try await store.append(RecordBatch(rows: Array(rows.dropFirst(300))))
        await store.settleIndex()
        var (chosen, narrowed) = (0, 0)
        for _ in 0..<Self.rounds {
            let tree = random.tree()
            let match = FilterMatch(RecordFilter(tree))
            let expected = rows.filter(match.matches).map(\.uid)
            let found = try await store.page { query in
                query.narrow(by: tree)
                query.order = .oldestFirst
                query.limit = 1_000
            }
            #expect(found.map(\.row.uid) == expected, "\(tree)")
            chosen += expected.count
            if !IndexProbe(tree).isAnything { narrowed += 1 }
            let others = try await store.page { query in
                query.narrow(by: .not(tree))
                query.limit = 1_000
            }
            #expect(others.count == rows.count - expected.count, "\(tree)")
            if let sql = FilterStatement.condition(tree), !tree.comparesFoldedText {
                let answer = try await store.query(
                    "SELECT uid FROM records WHERE \(sql) ORDER BY id", limits: QueryLimits())
                #expect(answer.rows == expected.map { [.text($0)] }, "\(tree): \(sql)")
            }
        }
        #expect(chosen > 0 && narrowed > 0)
    }
}

extension FilterExpression {
    /// SQL's LIKE folds only Latin letters.
    fileprivate var comparesFoldedText: Bool { !allTerms { if case .text = $0 { false } else { true } } }
}

/// Trees of every case, and rows of which they match some.
private struct RandomTree {
    private var random: SeededGenerator
    private static let texts = [
        "egg", "卵", "a b", "it's", "\"", "\\", "null", "100%", "x*y", "..", "OR", "(", "-1", "30",
    ]
    private static let tags = ["feed.show", "feed", "feed.item.open", "show", "検索.show", "a*b", "daybook.note"]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    private mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    mutating func time() -> Int64 {
        one(of: [.min, -1, 0, 1_000, 150_000, .max, Int64.random(in: 0..<400_000, using: &random)])
    }

    /// As the parser makes them: no double negation, no list of one, and no two times side by side.
    mutating func tree(depth: Int = 0) -> FilterExpression {
        guard depth < 3, below(3) > 0 else { return .term(term()) }
        var parts = (0...1 + below(2)).map { _ in tree(depth: depth + 1) }
        if parts.flatMap(\.conjuncts).filter(\.isTime).count > 1 { parts = [.text("egg"), .kinds(["event"])] }
        switch below(3) {
        case 0: return depth == 0 ? .every(parts) : .all(parts)
        case 1: return .any(parts)
        default: if case .not = parts[0] { return parts[0] } else { return .not(parts[0]) }
        }
    }

    private mutating func term() -> FilterTerm {
        switch below(8) {
        case 0: return .text(one(of: Self.texts))
        case 1: return .field(one(of: FilterField.allCases.filter { $0 != .kind }), textTest())
        case 2: return .field(.kind, .text(one(of: Kind.allCases).rawValue))
        case 3:
            let tag = FilterExpression.tag(one(of: Self.tags + ["feed.*", "feed.**", "**", "*", "*.show", "f*d"]))
            guard case .term(let term) = tag else { return .text("tag") }
            return term
        case 4:
            let bounds = (0..<2).map { _ in one(of: [Int.min, 1, 5, 9, 13, 17, 20, 24, Int.max]) }.sorted()
            return bounds == [.min, .min] || bounds == [.max, .max] ? .level(9...9) : .level(bounds[0]...bounds[1])
        case 5: return one(of: [.since(time()), .until(time())])
        case 6:
            let measure = one(of: FilterMeasure.allCases)
            return .number(measure, range(whole: true))
        default:
            let name = one(of: ["order", "price", "順序", "a b", "x\"y", "level"])
            return one(of: [.has(name), .column(name, textTest()), .column(name, .range(range(whole: false)))])
        }
    }

    private mutating func textTest() -> FilterTest {
        switch below(3) {
        case 0: return .text(one(of: Self.texts + Self.tags + ["s1", "2.1", ""]))
        case 1: return .text(one(of: ["App", "App/Menu.swift", "Phone 3", "uid-7"]))
        default:
            let parts = (0...1 + below(2)).map { _ in one(of: Self.texts + ["", "s", "2."]) }
            return .pattern(FilterPattern(parts: parts))
        }
    }

    private mutating func range(whole: Bool) -> FilterRange {
        let numbers: [FilterNumber] = (0..<2).map { _ in
            whole ? .int(Int64(below(400))) : one(of: [.int(30), .int(-3), .double(29.5), .int(9_007_199_254_740_993)])
        }.sorted { FilterNumber.order($0, $1) < 0 }
        switch below(4) {
        case 0: return FilterRange(from: numbers[0], to: numbers[1])
        case 1: return FilterRange(from: numbers[0], includesLower: false)
        case 2: return FilterRange(to: numbers[1], includesUpper: false)
        default: return FilterRange(to: numbers[1])
        }
    }

    mutating func row(_ number: Int) -> RecordRow {
        let values = ["30", "\"30\"", "29.5", "-3", "9007199254740993", "true", "null", "\"egg\"", "\"\"", "\"it's\""]
        func object(_ random: inout RandomTree) -> String {
            let members = ["order", "price", "順序", "a b", "x\\\"y", "level"].filter { _ in random.below(3) == 0 }
                .map { "\"\($0)\":\(random.one(of: values))" }
            return "{" + members.joined(separator: ",") + "}"
        }
        var row = RecordRow.sample(
            number, tag: one(of: Self.tags), kind: one(of: Kind.allCases), level: below(25),
            message: one(of: [nil, "Egg soup", "卵", "100%", "a b"]), attributes: object(&self),
            session: one(of: [nil, "s1", "egg"]))
        row.context = one(of: ["{}", #"{"service.version":"2.1","device.model.name":"Phone 3"}"#, object(&self)])
        (row.duration, row.line) = (one(of: [nil, 5, 300]), one(of: [nil, 7, 200]))
        (row.module, row.file) = (one(of: [nil, "App"]), one(of: [nil, "App/Menu.swift"]))
        return row
    }
}
