import Daybook
import DaybookHTTP
import DaybookStore

/// Reads the query of `/api/v1/records` and `/api/v1/records/count`.
struct RecordParameters {
    private static let known: Set<String> = [
        "after", "before", "limit", "order", "q", "kind", "level", "session", "tag",
    ]
    /// Bytes of search text; more is a mistake, not a search.
    private static let longestText = 1_000

    var query = RecordQuery()

    /// - Throws: ``Problem`` that names the parameter and what it takes.
    init(_ parameters: [(name: String, value: String)]) throws {
        for (name, value) in parameters {
            guard Self.known.contains(name) else {
                throw Problem(
                    .badRequest,
                    "There is no parameter “\(name)”; there are \(Self.known.sorted().joined(separator: ", ")).")
            }
            guard !value.isEmpty else { continue }
            try read(name, value)
        }
    }

    private mutating func read(_ name: String, _ value: String) throws {
        switch name {
        case "after": query.after = try Self.number(name, value, in: 0...Int64.max)
        case "before": query.before = try Self.number(name, value, in: 0...Int64.max)
        case "limit": query.limit = Int(try Self.number(name, value, in: 1...1_000))
        case "order":
            switch value {
            case "newest": query.order = .newestFirst
            case "oldest": query.order = .oldestFirst
            default: throw Problem(.badRequest, "order is newest or oldest, not “\(value)”.")
            }
        case "q": query.text = try Self.bounded(name, value)
        case "kind":
            query.kinds = try value.split(separator: ",").map { kind in
                guard let kind = Kind(rawValue: String(kind)) else {
                    let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Problem(.badRequest, "kind is one or more of \(names), not “\(kind)”.")
                }
                return kind.rawValue
            }
        case "level":
            guard let level = Level(name: value) else {
                let names = Level.allCases.map(\.name).joined(separator: ", ")
                throw Problem(.badRequest, "level is one of \(names), not “\(value)”.")
            }
            query.minimumLevel = level == .trace ? nil : Int(level.rawValue)
        case "session": query.session = try Self.bounded(name, value)
        default: query.tag = try Self.bounded(name, value)
        }
    }

    private static func number(_ name: String, _ value: String, in range: ClosedRange<Int64>) throws -> Int64 {
        guard let number = Int64(value), range.contains(number) else {
            throw Problem(
                .badRequest,
                "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound), not “\(value)”.")
        }
        return number
    }

    private static func bounded(_ name: String, _ value: String) throws -> String {
        guard value.utf8.count <= longestText else {
            throw Problem(.badRequest, "\(name) is at most \(longestText) bytes of text.")
        }
        return value
    }
}
