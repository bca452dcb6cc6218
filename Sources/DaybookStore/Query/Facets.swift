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
    /// What of an ``Field/attribute(_:)`` is masked. Default `nil`: nothing.
    package var masking: MaskingPolicy?
    /// The columns to count. Default: all except the session, because there are as many sessions as visits.
    public var fields: [Field]
    /// The most values of each column, the most frequent ones first; 1–1,000. Default 50. Fewer if they are long: all
    /// fields together take at most ``AnswerBounds/bytes``.
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
    package private(set) var counts: [FacetQuery.Field: [String: Int64]] = [:]
    /// About how many bytes they take.
    private var bytes = 0
    private var attributes: [String: AttributeReading] = [:]

    package init() {}

    /// Whether they take so much that the answer must be given: the rest is counted by the next one.
    package var isFull: Bool { bytes >= AnswerBounds.countedBytes }

    package mutating func add(_ number: Int64, _ field: FacetQuery.Field, _ value: String) {
        let value = value.boundedName
        let known = counts[field]?[value]
        if known == nil { bytes += value.utf8.count + 96 }
        counts[field, default: [:]][value, default: 0].add(clamping: number)
    }

    /// Counts one row.
    package mutating func add(_ row: RecordRow, of query: FacetQuery) {
        for field in query.fields {
            var value = row.value(of: field)
            if case .attribute(let name) = field {
                if attributes[name] == nil { attributes[name] = AttributeReading(name, query.masking) }
                value = attributes[name]?.value(of: row)
            }
            if let value { add(1, field, value) }
        }
    }

    /// The most frequent values of the fields that a query asks for.
    package func values(of query: FacetQuery) -> [FacetQuery.Field: [Facets.Value]] {
        var values: [FacetQuery.Field: [Facets.Value]] = [:]
        for field in query.fields {
            let sorted = (counts[field] ?? [:]).map { Facets.Value(value: $0.key, count: $0.value) }
                .sorted { ($1.count, $0.value) < ($0.count, $1.value) }
            values[field] = Self.bounded(sorted.prefix(min(max(query.limit, 1), 1_000)), among: query.fields.count)
        }
        return values
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
