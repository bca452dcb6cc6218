import DaybookBase
import DaybookTesting
import DaybookTools
import DaybookTrials

@testable import DaybookStore

/// Trees of every case, and rows of which they match some.
struct RandomTree {
    private var random: SeededGenerator
    private static let texts = [
        "egg", "卵", "a b", "it's", "\"", "\\", "null", "100%", "x*y", "..", "OR", "(", "-1", "30",
    ]
    private static let tags = ["feed.show", "feed", "feed.item.open", "show", "検索.show", "a*b", "daybook.note"]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

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
