import DaybookBase
import DaybookTools

/// Selects records: those that meet every condition that is set. The empty filter selects all.
public struct RecordFilter: Sendable, Hashable {
    /// Text that tag, message or attributes contain, compared after `TextFolding`: in any case, with full-width,
    /// half-width and composed forms equal to the plain ones. Empty for all.
    public var text = ""
    /// Only these kinds; empty for all.
    public var kinds: [String] = []
    /// Only this severity number or above.
    public var minimumLevel: Int?
    /// Only this tag, or those that match a pattern, as in routes: `feed.*` one more term, `feed.**` any number. With
    /// `\*` for each star it is the tag with these stars, and not a pattern.
    public var tag: String?
    /// Only this session.
    public var session: String?
    /// Only this installation.
    public var installation: String?
    /// Only records whose context has this `service.version`.
    public var version: String?
    /// Only this module.
    public var module: String?
    /// Only what was logged in this file: `Module/File.swift`.
    public var file: String?
    /// Only this trace: 32 lowercase hexadecimal digits.
    public var trace: String?
    /// Only the record with this uid.
    public var uid: String?
    /// In addition, only records that match this expression: what people write, see `docs/formats/filters.md`.
    public var expression: FilterExpression?
    /// Only at this time or later: nanoseconds since 1970.
    public var since: Int64?
    /// Only before this time (exclusive): nanoseconds since 1970.
    public var until: Int64?
    /// Only records that arrived before this time: nanoseconds since 1970. Of records of a store that did not keep when
    /// they arrived, those whose own time is before it.
    public var receivedBefore: Int64?
    /// Only records that match none of these: negated conditions.
    public var excluding: [RecordFilter] = []
    /// A condition that stores cannot evaluate, such as whether a record violates its definition. It is evaluated last.
    public var predicate: RecordPredicate?
    /// What the asker sees. Default: everything, as an app does of its own store and a store for its own work; whatever
    /// answers somebody else sets it.
    package var sight = Sight.whole

    /// Creates a filter that selects all records.
    public init() {}

    /// Whether no condition is set.
    public var isEmpty: Bool {
        var all = RecordFilter()
        all.sight = sight
        return self == all
    }

    /// Narrows further by what people write. A stand-alone term that has its own property here, such as a time, is set
    /// there, because stores can make better use of it.
    public mutating func narrow(by expression: FilterExpression) {
        switch expression {
        case .all(let parts): for part in parts { narrow(by: part) }
        case .term(.since(let time)): since = max(since ?? time, time)
        case .term(.until(let time)): until = min(until ?? time, time)
        case .term(.level(let levels)) where levels.upperBound == .max:
            minimumLevel = max(minimumLevel ?? levels.lowerBound, levels.lowerBound)
        case .term(.field(.tag, .text(let text))) where tag == nil: tag = text.replacing("*", with: "\\*")
        case .term(.field(.kind, .text(let kind))) where kinds.isEmpty: kinds = [kind]
        case .term(.field(.session, .text(let id))) where session == nil: session = id
        case .term(.field(.installation, .text(let id))) where installation == nil: installation = id
        default:
            // One list, however many there are: engines read nested conditions to a depth only.
            if case .all(let parts)? = self.expression {
                self.expression = .all(parts + [expression])
            } else {
                self.expression = self.expression.map { .all([$0, expression]) } ?? expression
            }
        }
    }
}

/// A condition on records, in code. Two with the same name are considered the same condition.
public struct RecordPredicate: Sendable, Hashable {
    /// Identifies the condition: `violation`, and the hash of the definitions that it was made from.
    public var name: String
    /// Whether a record meets it. Called on any thread, for many records: must be quick.
    public var matches: @Sendable (RecordRow) -> Bool
    /// Whether a record can meet it, by what every record shows, such as its tag: others need not be masked first.
    package let concerns: @Sendable (RecordRow) -> Bool

    /// Creates a condition.
    public init(name: String, matches: @escaping @Sendable (RecordRow) -> Bool) {
        self.init(name: name, concerns: { _ in true }, matches: matches)
    }

    /// Creates a condition on records that it concerns.
    package init(
        name: String, concerns: @escaping @Sendable (RecordRow) -> Bool,
        matches: @escaping @Sendable (RecordRow) -> Bool
    ) {
        (self.name, self.concerns, self.matches) = (name, concerns, matches)
    }

    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A ``RecordFilter`` made ready to be asked about many rows. Belongs to one thread at a time.
package struct FilterMatch {
    private let filter: RecordFilter
    private let search: SearchText?
    private let pattern: TagPattern?
    private let onlyTag: String?
    private let excluding: [FilterMatch]
    private let expression: ExpressionMatch?
    private let buffer: FoldingBuffer
    /// `nil` where nothing is masked of what the filter asks for.
    private let mask: RecordMask?

    /// - Throws: ``StoreError``, `badStatement` for a tag pattern that is none.
    package init(_ filter: RecordFilter) throws(StoreError) {
        mask = filter.asksForMasked ? filter.sight.mask : nil
        self.filter = filter
        search = filter.text.isEmpty ? nil : SearchText(filter.text)
        pattern = try filter.pattern()
        onlyTag = filter.onlyTag
        var excluding: [FilterMatch] = []
        for filter in filter.excluding { excluding.append(try FilterMatch(filter)) }
        self.excluding = excluding
        expression = filter.expression.map(ExpressionMatch.init)
        buffer = FoldingBuffer()
    }

    package func matches(_ row: RecordRow) -> Bool {
        // What costs nothing first: most rows need not be masked.
        guard let mask else { return matches(SeenRow(row: row, shown: nil)) }
        guard hasFields(row), filter.predicate?.concerns(row) ?? true else { return false }
        return matches(mask.seen(row, hasMessage: search != nil || expression != nil || !excluding.isEmpty))
    }

    private func matches(_ seen: SeenRow) -> Bool {
        guard hasFields(seen.row), expression?.matches(seen, buffer) ?? true,
            search?.occurs(in: seen, using: buffer) ?? true, filter.predicate?.matches(seen.shown ?? seen.row) ?? true
        else { return false }
        return !excluding.contains { $0.matches(seen) }
    }

    /// Of the conditions those on what every record has and shows.
    private func hasFields(_ row: RecordRow) -> Bool {
        guard filter.kinds.isEmpty || filter.kinds.contains(row.kind.rawValue),
            row.level >= filter.minimumLevel ?? .min,
            row.time >= filter.since ?? .min, filter.until.map({ row.time < $0 }) ?? true,
            Self.meets(filter.session, row.session), Self.meets(filter.installation, row.installation),
            Self.meets(filter.module, row.module), Self.meets(filter.trace, row.traceID),
            Self.meets(filter.uid, row.uid), Self.meets(filter.file, row.file)
        else { return false }
        return pattern.map { $0.match(row.tag) != nil } ?? Self.meets(onlyTag, row.tag)
            && (filter.version == nil || filter.version == ContextFields(row.context).version)
    }

    private static func meets(_ wanted: String?, _ value: String?) -> Bool { wanted == nil || wanted == value }
}

extension RecordFilter {
    /// Whether a condition is about what masking may change.
    package var asksForMasked: Bool {
        guard sight != .whole else { return false }
        return !text.isEmpty || predicate != nil || expression?.asksForMasked ?? false
            || excluding.contains { excluded in
                var excluded = excluded
                excluded.sight = sight
                return excluded.asksForMasked
            }
    }

    /// How many arrival numbers one answer goes through, whatever it finds there; `nil` where it may stop when its time is
    /// over. How far it came would else tell how many stored records have what the asker may not see.
    package func steps(within budget: Duration) -> Int64? {
        asksForMasked ? max(4_096, Int64(min(budget / .milliseconds(1), 1e9)) * 400) : nil
    }

    /// The one tag that is meant; `nil` for a pattern. A tag without a wildcard is itself, whatever it looks like, and one
    /// with `\\*` has a star there: senders choose freely.
    package var onlyTag: String? {
        guard let tag else { return nil }
        if tag.contains("\\*") { return tag.replacing("\\*", with: "*") }
        return tag.contains("*") ? nil : tag
    }

    /// The tag condition where it is a pattern; else it is ``onlyTag``.
    /// - Throws: ``StoreError``, `badStatement` for a pattern that is none.
    package func pattern() throws(StoreError) -> TagPattern? {
        guard let tag, onlyTag == nil else { return nil }
        do {
            return try TagPattern(tag)
        } catch {
            throw StoreError(.badStatement, "The tag pattern cannot be used: \(error)")
        }
    }
}
