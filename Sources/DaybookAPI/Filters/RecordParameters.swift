import DaybookBase
import DaybookDefinitions
import DaybookStore
import DaybookTools
import Foundation

/// Parses the query of `/api/v1/records`, `/api/v1/records/count` and `/api/v1/violations`. Records are in order of
/// arrival, or with `sort=time` by time; then `before` and `after` are positions, `TIME.ID`.
package struct RecordParameters {
    /// For records in order of arrival.
    static let names = FilterParameters.namesWithRun.union(["after", "before", "limit", "order"])
    /// For a page, which may be by time.
    static let namesOfPage = names.union(namesByTime).union([WireForm.parameter, "sort"])
    private static let namesByTime: Set = ["arrived_after", "arrived_before"]

    package private(set) var query = RecordQuery()
    /// `nil` in order of arrival.
    package private(set) var byTime: TimeQuery?

    /// - Throws: ``StoreError``, or ``Problem`` that names the parameter and its valid values.
    package init(_ parameters: Parameters, _ filters: FilterContext, in store: any EventStore) async throws {
        var (query, byTime) = (RecordQuery(), TimeQuery())
        let isByTime = try Self.areByTime(parameters)
        var reader = try await ParameterReader(narrowing: parameters, filters, in: store)
        let others = isByTime ? [] : Self.namesByTime
        try reader.read(own: Self.namesOfPage.subtracting(FilterParameters.names).subtracting(others)) {
            name, value throws(Problem) in
            switch name {
            case "after" where isByTime: byTime.after = try Self.place(name, value)
            case "before" where isByTime: byTime.before = try Self.place(name, value)
            case "after": query.after = try FilterParameters.number(name, value, in: 0...Int64.max)
            case "before": query.before = try FilterParameters.number(name, value, in: 0...Int64.max)
            case "arrived_after": byTime.arrivedAfter = try FilterParameters.number(name, value, in: 0...Int64.max)
            case "arrived_before": byTime.arrivedBefore = try FilterParameters.number(name, value, in: 0...Int64.max)
            case "limit": query.limit = Int(try FilterParameters.number(name, value, in: 1...1_000))
            case "order": query.order = try Self.order(value)
            default: break
            }
        }
        query.filter = reader.filter.filter
        (byTime.filter, byTime.limit, byTime.order) = (query.filter, query.limit, query.order)
        (self.query, self.byTime) = (query, isByTime ? byTime : nil)
    }

    static func areByTime(_ parameters: Parameters) throws(Problem) -> Bool {
        switch parameters.first(where: { $0.name == "sort" })?.value {
        case "time": true
        case "arrival", nil: false
        case let other?: throw Problem(.badRequest, "sort is arrival or time, not “\(other)”.")
        }
    }

    private static func order(_ value: String) throws(Problem) -> RecordQuery.Order {
        switch value {
        case "newest": .newestFirst
        case "oldest": .oldestFirst
        default: throw Problem(.badRequest, "order is newest or oldest, not “\(value)”.")
        }
    }

    private static func place(_ name: String, _ value: String) throws(Problem) -> TimePlace {
        if let place = TimePlace(text: value) { return place }
        throw Problem(.badRequest, "With sort=time \(name) is TIME.ID, a record's time and number, not “\(value)”.")
    }
}

extension RecordQuery {
    /// The parameters that ask for this query.
    /// - Throws: As ``RecordFilter/parameters()``.
    package func parameters() throws(StoreError) -> Parameters {
        var parameters = try filter.parameters()
        parameters += [("limit", String(rowLimit)), ("order", order == .newestFirst ? "newest" : "oldest")]
        if let before { parameters.append(("before", String(max(before, 0)))) }
        if let after { parameters.append(("after", String(max(after, 0)))) }
        return parameters
    }
}

/// Filter parameters, shared by records, count, histogram and facets.
package struct FilterParameters {
    /// Also with `run`, which narrows a question to a run's records.
    package static let namesWithRun = names.union(["run"])
    static let names = Set(fields.map(\.rawValue)).union([
        "filter", "kind", "level", "tag", "since", "until", "received_before", "violations", "own", "private", "live",
    ])
    private static let fields: [FilterField] = [.session, .installation, .version, .module, .file, .trace]
    /// Longest value in bytes.
    private static let longestText = 1_000

    private var wanted = RecordFilter()
    private var showsOwn = false
    private var sight: Sight
    private var asked: FilterExpression?
    private let filters: FilterContext
    /// Whether `last` has no end, for a reader of new records: senders' clocks may be slightly ahead.
    private let isLive: Bool

    /// The filter, without the collector's own records unless requested.
    package var filter: RecordFilter { showsOwn ? condition : condition.withoutOwn }
    package var condition: RecordFilter {
        var condition = wanted
        condition.sight = sight
        return condition
    }

    /// - Parameter sight: The sight unless `private=show` is given. Default: `nil`, masked.
    package init(_ filters: FilterContext, isLive: Bool = false, sight: Sight? = nil) {
        (self.filters, self.isLive) = (filters, isLive)
        self.sight = sight ?? filters.disclosure.masked
    }

    /// Applies a parameter of ``names``.
    /// - Throws: ``Problem`` that names the parameter and its valid values.
    package mutating func read(_ name: String, _ value: String) throws(Problem) {
        switch name {
        case "since": wanted.narrow(by: .since(try Self.time(name, value)))
        case "until": wanted.narrow(by: .until(try Self.time(name, value)))
        case "received_before": wanted.receivedBefore = try Self.time(name, value)
        case "live":
            guard value == "1" else { throw Problem(.badRequest, "live is 1 or left out, not “\(value)”.") }
        case "violations":
            wanted.predicate = try Self.violations(value, filters.defined)
        case "filter": if let expression = try filters.parse(value, isLive: isLive).expression { asked = expression }
        case "private":
            guard value == "show" else { throw Problem(.badRequest, "private is show or left out, not “\(value)”.") }
            sight = .whole
        case "own":
            guard value == "1" else { throw Problem(.badRequest, "own is 1 or left out, not “\(value)”.") }
            showsOwn = true
        default: wanted.narrow(by: try Self.condition(name, value))
        }
    }

    /// `1` for any, or `KIND`, or `KIND:COLUMN`.
    private static func violations(_ value: String, _ defined: DefinedEvents) throws(Problem) -> RecordPredicate {
        if value == "1" { return defined.predicate() }
        let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
        guard let kind = parts.first.flatMap(Violation.Kind.init(rawValue:)) else {
            let names = Violation.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.badRequest, "violations is 1, or KIND or KIND:COLUMN of \(names), not “\(value)”.")
        }
        return defined.predicate(kind, column: parts.count > 1 ? parts[1] : nil)
    }

    private static func condition(_ name: String, _ value: String) throws(Problem) -> FilterExpression {
        switch name {
        case "kind":
            let kinds = value.split(separator: ",").map(String.init)
            if let other = kinds.first(where: { Kind(rawValue: $0) == nil }) {
                let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(.badRequest, "kind is one or more of \(names), not “\(other)”.")
            }
            return kinds.isEmpty ? .everything : .kinds(kinds)
        case "level":
            guard let number = Severity.number(of: value) else {
                throw Problem(.badRequest, "level is one of \(Severity.description), not “\(value)”.")
            }
            return .level(atLeast: number)
        case "tag": return .tag(try bounded(name, value))
        default:
            guard let field = fields.first(where: { $0.rawValue == name }) else {
                throw Problem(.badRequest, "There is no condition “\(name)”.")
            }
            return .field(field, try bounded(name, value))
        }
    }

    /// Applies the filter once all parameters are read.
    /// - Throws: ``Problem`` if the filter could reveal a private value bit by bit, or times are reversed.
    package mutating func finish() throws(Problem) {
        if case (let since?, let until?) = wanted.expression.times, since > until {
            throw Problem(.badRequest, "since is after until: a range goes from the earlier time to the later.")
        }
        guard let asked else { return }
        try filters.check(asked, sight)
        wanted.narrow(by: asked)
    }

    package static func number(_ name: String, _ value: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64 {
        guard let number = Int64(value), range.contains(number) else {
            throw Problem(
                .badRequest,
                "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound), not “\(value)”.")
        }
        return number
    }

    private static func time(_ name: String, _ value: String) throws(Problem) -> Int64 {
        guard let time = ReadTime.nanoseconds(of: value) else {
            throw Problem(.badRequest, "\(name) is a time: \(ReadTime.problem(of: .string(value))).")
        }
        return time
    }

    private static func bounded(_ name: String, _ value: String) throws(Problem) -> String {
        guard value.utf8.count <= longestText else {
            throw Problem(.badRequest, "\(name) is at most \(longestText) bytes of text.")
        }
        return value
    }
}

extension RecordFilter {
    /// The equivalent API parameters.
    /// - Throws: ``StoreError``, `badStatement`, for a predicate, which is code, and for a filter that is too long.
    package func parameters() throws(StoreError) -> Parameters {
        let text = FilterExpression.every(expression.conjuncts.filter { !$0.isTime }).description
        let times = expression.times
        guard predicate == nil, text.utf8.count <= FilterParser.longest else {
            throw StoreError(
                .badStatement, "A collector cannot be asked for these conditions together. Use fewer, or shorter ones.")
        }
        let bounds = [("since", times.since), ("until", times.until), ("received_before", receivedBefore)]
        return (text.isEmpty ? [] : [("filter", text)])
            + bounds.compactMap { name, time in time.map { (name, ReadTime.text(of: $0)) } }
            // If the collector's own records are excluded, the filter's text says so.
            + [("own", "1")]
    }
}
