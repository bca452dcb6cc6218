import DaybookBase
import DaybookTools

/// A query for counts by value.
public struct FacetQuery: Sendable, Hashable {
    /// A column; ``version`` is the context's `service.version`.
    public enum Field: Sendable, Hashable {
        case kind, level, tag, module, session, version, installation
        /// A text, number or boolean from the record's attributes, otherwise from its context.
        case attribute(String)
    }

    public var filter: RecordFilter
    /// The columns to count. Default: all except the session, which has too many values.
    public var fields: [Field]
    /// Most values per column in a complete answer, the most frequent first; 1–1,000. Default 50. A partial answer,
    /// whose counts are to be added to others', has up to 10,000. All fields together take at most
    /// ``AnswerBounds/bytes``; ``Facets/cut`` summarizes the rest.
    public var limit = 50
    /// Only records with a larger arrival number (exclusive).
    public var after: Int64?
    /// Only records with a smaller arrival number. To continue, pass ``Facets/next`` and add the counts of both
    /// answers.
    public var before: Int64?
    /// How long to count before returning a partial answer. Default 150 ms.
    public var budget: Duration = .milliseconds(150)

    public init(filter: RecordFilter = .init(), fields: [Field] = Field.allCases.filter { $0 != .session }) {
        self.filter = filter
        self.fields = fields
    }
}

extension FacetQuery.Field: RawRepresentable {
    /// The built-in fields, in order.
    public static let allCases: [Self] = [.kind, .level, .tag, .module, .session, .version, .installation]
    private static let attributes = "attributes."

    /// `tag`, or `attributes.` and a column's name.
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

    /// Creates a field from its name; `nil` for an unknown name.
    public init?(rawValue: String) {
        if rawValue.hasPrefix(Self.attributes), rawValue.utf8.count > Self.attributes.utf8.count {
            self = .attribute(String(rawValue.dropFirst(Self.attributes.count)))
        } else if let field = Self.allCases.first(where: { $0.rawValue == rawValue }) {
            self = field
        } else {
            return nil
        }
    }

    /// The SQL expression; `nil` if code reads the field.
    /// - Parameter version: The expression for the version in `context`.
    package func expression(version: String) -> String? {
        switch self {
        case .attribute: nil
        case .version: version
        default: rawValue
        }
    }
}

public struct Facets: Sendable, Hashable {
    /// A value and how often it occurs.
    public struct Value: Sendable, Hashable {
        /// The value; for a level, its severity number as text.
        public var value: String
        public var count: Int64

        public init(value: String, count: Int64) {
            self.value = value
            self.count = count
        }
    }

    /// The values of each column by falling count, then by text. Absent values are not counted.
    public var values: [FacetQuery.Field: [Value]]
    /// The values of a column that an answer leaves out.
    public struct Cut: Sendable, Hashable {
        public var values: Int64
        /// The number of records with these values.
        public var records: Int64
        /// The count of the most frequent of them. Summed over partial answers, it bounds how much a value's count may
        /// be too low, and the count of a value in none of them.
        public var most: Int64

        public init(values: Int64, records: Int64, most: Int64) {
            (self.values, self.records, self.most) = (values, records, most)
        }
    }

    /// Values left out per column; no entry if none are.
    public var cut: [FacetQuery.Field: Cut] = [:]
    /// Where to continue (``FacetQuery/before``); `nil` when everything has been counted.
    public var next: Int64?
    /// How much of the store has been read.
    public var progress: SearchProgress

    package static let empty = Facets(values: [:], next: nil, progress: SearchProgress(done: 0, total: 0))

    public init(values: [FacetQuery.Field: [Value]], next: Int64?, progress: SearchProgress) {
        self.values = values
        self.next = next
        self.progress = progress
    }
}

package struct FacetCounts {
    package private(set) var counts: [FacetQuery.Field: [ExactText: Int64]] = [:]
    private var bytes = 0
    private var attributes: [String: AttributeReader] = [:]

    package init() {}

    /// Whether memory is exhausted, so that the rest must be counted by the next answer.
    package var isFull: Bool { bytes >= AnswerBounds.countedBytes }

    package mutating func add(_ number: Int64, _ field: FacetQuery.Field, _ value: String) {
        let value = ExactText(value.boundedName)
        let known = counts[field]?[value]
        if known == nil { bytes += value.text.utf8.count + 96 }
        counts[field, default: [:]][value, default: 0].add(clamping: number)
    }

    package mutating func add(_ row: RecordRow, of query: FacetQuery) {
        for field in query.fields {
            var value = row.value(of: field)
            if case .attribute(let name) = field {
                if attributes[name] == nil { attributes[name] = AttributeReader(name, query.filter.sight) }
                value = attributes[name]?.value(of: row)
            }
            if let value { add(1, field, value) }
        }
    }

    /// Most values per field in a partial answer.
    private static let mostOfPart = 10_000

    /// Partial answers exceed the query's limit, so that overall frequent values survive the addition.
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

    /// The first values that fit a field's share of the answer.
    private static func bounded(_ values: some Sequence<Facets.Value>, among fields: Int) -> [Facets.Value] {
        var bytes = 0
        return values.prefix { value in
            defer { bytes += value.value.utf8.count }
            return bytes < AnswerBounds.bytes / max(fields, 1)
        }
    }
}

extension RecordRow {
    /// The value of a facet's column; `nil` if absent, and for an attribute, which ``AttributeReader`` reads.
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
