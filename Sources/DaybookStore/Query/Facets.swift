import DaybookBase
import DaybookTools

/// A query for counts by value.
public struct FacetQuery: Sendable, Hashable {
    /// A column; for ``version``, the context's `service.version`.
    public enum Field: Sendable, Hashable {
        case kind, level, tag, module, session, version, installation
        /// The value of a parameter: the event's own, or else the one common to all records; a text, a number or a
        /// boolean.
        case attribute(String)
    }

    /// Which records.
    public var filter: RecordFilter
    /// The columns to count. Default: all except the session, because there are as many sessions as visits.
    public var fields: [Field]
    /// The most values of each column in a whole answer, the most frequent ones first; 1–1,000. Default 50. An answer that
    /// is a part, whose counts are still to be added to others', has up to 10,000 of each. Fewer if they are long: all
    /// fields together take at most ``AnswerBounds/bytes``. ``Facets/cut`` tells of what is left out.
    public var limit = 50
    /// Only records that arrived after this number (exclusive).
    public var after: Int64?
    /// Only records that arrived before this number; pass ``Facets/next`` to continue, and add the counts of both
    /// answers.
    public var before: Int64?
    /// How long to look before answering with what was counted. Default 150 ms.
    public var budget: Duration = .milliseconds(150)

    /// Creates a query for counts of some columns.
    public init(filter: RecordFilter = .init(), fields: [Field] = Field.allCases.filter { $0 != .session }) {
        self.filter = filter
        self.fields = fields
    }
}

extension FacetQuery.Field: RawRepresentable {
    /// The fields that every record has, in their order.
    public static let allCases: [Self] = [.kind, .level, .tag, .module, .session, .version, .installation]
    private static let attributes = "attributes."

    /// `tag`, or `attributes.` and the name of a column.
    public var rawValue: String {
        switch self {
        case .kind: "kind"
        case .level: "level"
        case .tag: "tag"
        case .module: "module"
        case .session: "session"
        case .version: "version"
        case .installation: "installation"
        case .attribute(let name): Self.attributes + name
        }
    }

    /// Creates a field from its name; `nil` if there is no such field.
    public init?(rawValue: String) {
        if rawValue.hasPrefix(Self.attributes), rawValue.utf8.count > Self.attributes.utf8.count {
            self = .attribute(String(rawValue.dropFirst(Self.attributes.count)))
        } else if let field = Self.allCases.first(where: { $0.rawValue == rawValue }) {
            self = field
        } else {
            return nil
        }
    }

    /// What a statement reads it by; `nil` where code does.
    /// - Parameter version: the version in the column `context`.
    package func expression(version: String) -> String? {
        switch self {
        case .attribute: nil
        case .version: version
        default: rawValue
        }
    }
}

/// Counts by value.
public struct Facets: Sendable, Hashable {
    /// How often a value occurs.
    public struct Value: Sendable, Hashable {
        /// The value; for a level, its severity number as text.
        public var value: String
        public var count: Int64

        /// A value and its count.
        public init(value: String, count: Int64) {
            self.value = value
            self.count = count
        }
    }

    /// The values of each column, the most frequent first, equally frequent ones in the order of their text. Absent
    /// values are not counted.
    public var values: [FacetQuery.Field: [Value]]
    /// What an answer leaves out of a column's values.
    public struct Cut: Sendable, Hashable {
        /// How many values.
        public var values: Int64
        /// How many records have one of them.
        public var records: Int64
        /// How many have the most frequent of them. Where parts are added, the sum of this is what a value's count is too
        /// low by at most, and what a value that is in none of them has at most.
        public var most: Int64

        /// Creates a summary of values that are left out.
        public init(values: Int64, records: Int64, most: Int64) {
            (self.values, self.records, self.most) = (values, records, most)
        }
    }

    /// What is left out of each column's values; no entry where nothing is.
    public var cut: [FacetQuery.Field: Cut] = [:]
    /// Where to continue (``FacetQuery/before``); `nil` when everything has been counted.
    public var next: Int64?
    /// How much of the store has been read.
    public var progress: SearchProgress

    /// The answer to a query without a field.
    package static let empty = Facets(values: [:], next: nil, progress: SearchProgress(done: 0, total: 0))

    /// Counts.
    public init(values: [FacetQuery.Field: [Value]], next: Int64?, progress: SearchProgress) {
        self.values = values
        self.next = next
        self.progress = progress
    }
}

/// Counts while they are being made.
package struct FacetCounts {
    package private(set) var counts: [FacetQuery.Field: [ExactText: Int64]] = [:]
    /// About how many bytes they take.
    private var bytes = 0
    private var attributes: [String: AttributeReading] = [:]

    package init() {}

    /// Whether they take so much that the answer must be given: the rest is counted by the next one.
    package var isFull: Bool { bytes >= AnswerBounds.countedBytes }

    package mutating func add(_ number: Int64, _ field: FacetQuery.Field, _ value: String) {
        let value = ExactText(value.boundedName)
        let known = counts[field]?[value]
        if known == nil { bytes += value.text.utf8.count + 96 }
        counts[field, default: [:]][value, default: 0].add(clamping: number)
    }

    /// Counts one row.
    package mutating func add(_ row: RecordRow, of query: FacetQuery) {
        for field in query.fields {
            var value = row.value(of: field)
            if case .attribute(let name) = field {
                if attributes[name] == nil { attributes[name] = AttributeReading(name, query.filter.sight) }
                value = attributes[name]?.value(of: row)
            }
            if let value { add(1, field, value) }
        }
    }

    /// Values of a field in an answer whose counts are added to others'.
    private static let mostOfPart = 10_000

    /// The answer to a query: the most frequent values of its fields, and what is left out. Of parts more than the query's
    /// limit, or values that are frequent in all would be missing where each has others.
    package func facets(of query: FacetQuery, next: Int64?, progress: SearchProgress) -> Facets {
        let isPart = next != nil || query.before != nil || query.after != nil
        let limit = isPart ? Self.mostOfPart : min(max(query.limit, 1), 1_000)
        var facets = Facets(values: [:], next: next, progress: progress)
        for field in query.fields {
            let sorted = (counts[field] ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { Facets.Value(value: $0.key.text, count: $0.value) }
            let values = Self.bounded(sorted.prefix(limit), among: query.fields.count)
            facets.values[field] = values
            let rest = sorted[values.count...]
            guard let most = rest.first?.count else { continue }
            facets.cut[field] = Facets.Cut(
                values: Int64(rest.count), records: rest.reduce(into: Int64(0)) { $0.add(clamping: $1.count) },
                most: most)
        }
        return facets
    }

    /// The first values, as far as a field's part of an answer reaches.
    private static func bounded(_ values: some Sequence<Facets.Value>, among fields: Int) -> [Facets.Value] {
        var bytes = 0
        return values.prefix { value in
            defer { bytes += value.value.utf8.count }
            return bytes < AnswerBounds.bytes / max(fields, 1)
        }
    }
}

extension RecordRow {
    /// The value of a facet's column; `nil` where it is absent, and for an attribute, which ``AttributeReading`` reads.
    func value(of field: FacetQuery.Field) -> String? {
        switch field {
        case .kind: kind.rawValue
        case .level: String(level)
        case .tag: tag
        case .module: module
        case .session: session
        case .version: ContextFields(context).version
        case .installation: installation
        case .attribute: nil
        }
    }
}
