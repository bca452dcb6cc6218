import DaybookBase
import DaybookTools

/// All events a team has defined: the result of reading its Markdown files.
public struct Definitions: Sendable, Hashable {
    /// The categories, ordered by name. `common.md` is not among them.
    public var categories: [Category]
    /// The columns of every event, from `common.md`.
    public var common: [Column]
    /// The prose of `common.md`: Markdown; empty if there is none.
    public var commonDescription: String
    /// Where `common.md` begins, or `nil` if there is no such file.
    public var commonLocation: SourceLocation?

    /// Creates a set of definitions.
    public init(
        categories: [Category] = [], common: [Column] = [], commonDescription: String = "",
        commonLocation: SourceLocation? = nil
    ) {
        self.categories = categories
        self.common = common
        self.commonDescription = commonDescription
        self.commonLocation = commonLocation
    }

    /// The event with the tag `category.event`, or `nil`.
    public func event(tagged tag: some StringProtocol) -> Event? {
        guard let dot = tag.firstIndex(of: ".") else { return nil }
        return categories.first { $0.name == tag[..<dot] }?.events.first { $0.name == tag[tag.index(after: dot)...] }
    }
}

extension Definitions {
    /// The most values in ``withListedValues``.
    private static let mostListed = 100_000

    /// The same definitions, with each type's values copied to all of its columns, for readers. Unchanged if that would
    /// be too many values.
    package var withListedValues: Definitions {
        var listed: [ColumnType: [Column.DeclaredValue]] = [:]
        for site in columnSites where !site.column.values.isEmpty && listed[site.column.type] == nil {
            listed[site.column.type] = site.column.values
        }
        let count = columnSites.reduce(0) { $0 + (listed[$1.column.type]?.count ?? 0) }
        guard count <= Self.mostListed else { return self }
        func filled(_ columns: [Column]) -> [Column] {
            columns.map { column in
                var column = column
                if column.values.isEmpty { column.values = listed[column.type] ?? [] }
                return column
            }
        }
        var filledDefinitions = self
        filledDefinitions.common = filled(common)
        filledDefinitions.categories = categories.map { category in
            var category = category
            category.columns = filled(category.columns)
            category.events = category.events.map { event in
                var event = event
                event.columns = filled(event.columns)
                return event
            }
            return category
        }
        return filledDefinitions
    }
}

/// One file: a named group of events.
public struct Category: Sendable, Hashable {
    public var name: String
    /// Markdown, paragraphs separated by an empty line; empty if there is none.
    public var description: String
    /// Columns of every event of the category.
    public var columns: [Column]
    public var events: [Event]
    public var location: SourceLocation

    /// Creates a category.
    public init(
        name: String, description: String = "", columns: [Column] = [], events: [Event] = [], location: SourceLocation
    ) {
        self.name = name
        self.description = description
        self.columns = columns
        self.events = events
        self.location = location
    }
}

/// One activity that can be logged.
public struct Event: Sendable, Hashable {
    public var name: String
    /// Markdown; empty if there is none.
    public var description: String
    public var columns: [Column]
    public var isObsolete: Bool
    public var location: SourceLocation

    /// Creates an event.
    public init(
        name: String, description: String = "", columns: [Column] = [], isObsolete: Bool = false,
        location: SourceLocation
    ) {
        self.name = name
        self.description = description
        self.columns = columns
        self.isObsolete = isObsolete
        self.location = location
    }
}

/// One parameter of an event.
public struct Column: Sendable, Hashable {
    /// How a value is protected.
    public enum Classification: String, Sendable, CaseIterable {
        /// Nothing special.
        case plain
        /// Delivered, but masked on screens and in exports: `[private]`.
        case `private`
        /// Replaced by a keyed hash before it reaches the journal: `[sensitive]`.
        case sensitive
    }

    /// A value that the definition lists.
    public struct DeclaredValue: Sendable, Hashable {
        public var value: String
        /// Markdown; empty if there is none.
        public var description: String

        /// Creates a declared value.
        public init(value: String, description: String = "") {
            self.value = value
            self.description = description
        }
    }

    /// One nested item as written, a declared value or a note.
    public struct Detail: Sendable, Hashable {
        /// Markdown; lines are separated by `\n`.
        public var text: String
        /// 1 directly below the column, 2 below such an item, and so on (at most 8).
        public var depth: Int
        /// Columns of white space before the bullet.
        public var indent: Int

        /// Creates a nested item.
        /// - Parameter indent: Default: four for each level.
        public init(text: String, depth: Int = 1, indent: Int? = nil) {
            self.text = text
            self.depth = depth
            self.indent = indent ?? 4 * depth
        }
    }

    public var name: String
    public var type: ColumnType
    public var isOptional: Bool
    public var isObsolete: Bool
    public var classification: Classification
    /// Markdown, one entry per nested item that is not a declared value.
    public var notes: [String]
    /// The values that the definition lists; empty if it lists none.
    public var values: [DeclaredValue]
    /// All nested items in order, notes and declared values together.
    public var details: [Detail]
    public var location: SourceLocation

    /// Creates a column.
    public init(
        name: String, type: ColumnType, isOptional: Bool = false, isObsolete: Bool = false,
        classification: Classification = .plain, notes: [String] = [], values: [DeclaredValue] = [],
        details: [Detail] = [], location: SourceLocation
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isObsolete = isObsolete
        self.classification = classification
        self.notes = notes
        self.values = values
        self.details = details
        self.location = location
    }
}

/// The type of a column.
public enum ColumnType: Sendable, Hashable {
    case smallint
    case integer
    case bigint
    case real
    case double
    case boolean
    /// At most `limit` UTF-8 bytes, if given.
    case string(limit: Int?)
    case date
    case timestamp
    case timestamptz
    /// The team's own type, or an enum if the definition lists its values.
    case custom(String)
}

extension ColumnType {
    /// Parses a text from a query, form or fixture; `nil` if it is not a value of this type.
    package func value(ofText text: String) -> Value? {
        switch self {
        case .smallint, .integer, .bigint: Int64(text).map { .int($0) }
        case .real, .double: Double(text).flatMap { $0.isFinite ? .double($0) : nil }
        case .boolean: ["true": true, "1": true, "false": false, "0": false][text].map { .bool($0) }
        case .string, .date, .timestamp, .timestamptz, .custom: .string(text)
        }
    }

    private static let builtIn: [ColumnType] = [
        .smallint, .integer, .bigint, .real, .double, .boolean, .string(limit: nil), .date, .timestamp, .timestamptz,
    ]
    /// The built-in types' names, without `!`.
    static let builtInNames = builtIn.map(\.name)

    /// `nil` if `name` (without `!`) is no built-in type.
    init?(builtIn name: String, limit: Int?) {
        guard let place = Self.builtInNames.firstIndex(of: name) else { return nil }
        self = if case .string = Self.builtIn[place] { .string(limit: limit) } else { Self.builtIn[place] }
    }

    /// The type's name without `!` and the limit: `bigint`, `string`, `SearchOrder`.
    public var name: String {
        switch self {
        case .smallint: "smallint"
        case .integer: "integer"
        case .bigint: "bigint"
        case .real: "real"
        case .double: "double"
        case .boolean: "boolean"
        case .string: "string"
        case .date: "date"
        case .timestamp: "timestamp"
        case .timestamptz: "timestamptz"
        case .custom(let name): name
        }
    }

    /// The greatest length in UTF-8 bytes that the definition allows, or `nil`.
    public var limit: Int? {
        if case .string(let limit) = self { limit } else { nil }
    }

    /// Whether this is the team's own type.
    public var isCustom: Bool {
        if case .custom = self { true } else { false }
    }

    /// As written in a definition: `!bigint`, `!string 256`, `SearchOrder`.
    public var source: String {
        switch self {
        case .custom(let name): name
        case .string(let limit?): "!string \(limit)"
        default: "!\(name)"
        }
    }

    var isDateLike: Bool {
        switch self {
        case .date, .timestamp, .timestamptz: true
        default: false
        }
    }
}

/// The labelled lines of a description: `owner: search team`, `**Metric / 指標**: searches ÷ visits`.
///
/// A label is at the beginning of a line, before a colon; marks around it are ignored.
public struct DescriptionLabels: Sendable, Hashable {
    /// Who to ask: lines labelled `owner` or `担当`.
    public var owners: [String] = []
    /// What the event is for: lines labelled `metric` or `指標`.
    public var metrics: [String] = []

    /// Reads the labels from Markdown.
    public init(_ description: String) {
        for line in TextLines.split(description) {
            guard let colon = line.firstIndex(where: { $0 == ":" || $0 == "：" }) else { continue }
            let label = line[..<colon].lowercased()
            // A later colon belongs to a sentence.
            guard label.count <= 30 else { continue }
            let words = Set(label.split { !$0.isLetter }.map(String.init))
            let text = String(line[line.index(after: colon)...].drop { $0 == "*" || $0 == "_" }).trimmed
            guard !text.isEmpty else { continue }
            if !words.isDisjoint(with: ["owner", "owners", "担当"]) { owners.append(text) }
            if !words.isDisjoint(with: ["metric", "metrics", "指標"]) { metrics.append(text) }
        }
    }
}

extension Category {
    /// The labelled lines of the description.
    public var labels: DescriptionLabels { DescriptionLabels(description) }
}

extension Event {
    /// The labelled lines of the description.
    public var labels: DescriptionLabels { DescriptionLabels(description) }
}
