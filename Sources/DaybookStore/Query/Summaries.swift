import DaybookBase
import DaybookTools

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// How many records a tag has in a version, and when they were first and last seen.
public struct TagSummary: Sendable, Hashable {
    public var tag: String
    public var kind: String
    /// The context's `service.version`; `nil` if absent.
    public var version: String?
    /// Stored records; 0 if all were erased.
    public var count: Int64
    /// When first seen, in nanoseconds since 1970; includes erased records.
    public var firstTime: Int64
    /// When last seen, in nanoseconds since 1970; includes erased records.
    public var lastTime: Int64

    public init(tag: String, kind: String, version: String? = nil, count: Int64, firstTime: Int64, lastTime: Int64) {
        self.tag = tag
        self.kind = kind
        self.version = version
        self.count = count
        self.firstTime = firstTime
        self.lastTime = lastTime
    }

    package mutating func add(_ other: TagSummary) {
        count.add(clamping: other.count)
        firstTime = PlausibleTime.first(firstTime, other.firstTime)
        lastTime = max(lastTime, other.lastTime)
    }
}

/// A position in the list of tag counts, in byte order.
public struct TagPosition: Sendable, Hashable {
    public var tag: String
    public var kind: String
    /// The version; empty for none.
    public var version: String

    public init(tag: String, kind: String, version: String) {
        self.tag = tag
        self.kind = kind
        self.version = version
    }

    init(_ summary: TagSummary) {
        self.init(tag: summary.tag, kind: summary.kind, version: summary.version ?? "")
    }

    /// The start of the next page. After a cut name, all names with that prefix are skipped.
    fileprivate init(behind summary: TagSummary) {
        let isCut = summary.tag.utf8.count >= AnswerBounds.nameBytes - 3
        self.init(
            tag: AnswerBounds.position(after: summary.tag), kind: isCut ? "" : summary.kind,
            version: isCut ? "" : AnswerBounds.position(after: summary.version ?? ""))
    }

    static func isBefore(_ left: TagPosition, _ right: TagPosition) -> Bool {
        let order = compared(left.tag, right.tag)
        if order != 0 { return order < 0 }
        let kinds = compared(left.kind, right.kind)
        return kinds != 0 ? kinds < 0 : compared(left.version, right.version) < 0
    }

    private static func compared(_ one: String, _ other: String) -> Int {
        var (one, other) = (one, other)
        return one.withUTF8 { one in
            other.withUTF8 { other in
                let count = min(one.count, other.count)
                // An empty buffer may have no address.
                guard count > 0, let left = one.baseAddress, let right = other.baseAddress else {
                    return one.count - other.count
                }
                let order = memcmp(left, right, count)
                return order != 0 ? Int(order) : one.count - other.count
            }
        }
    }
}

/// A page of tag counts. A tag's versions may continue on the next page.
public struct TagPage: Sendable, Hashable {
    public private(set) var summaries: [TagSummary] = []
    /// Where to continue; `nil` on the last page.
    public private(set) var next: TagPosition?
    /// On the last page: counts of names folded out of the list.
    public package(set) var unlisted = UnlistedNames()
    private var bytes = 0

    package init() {}

    /// Adds the next summary, its names cut; `false` if the page is already full.
    package mutating func add(_ summary: TagSummary) -> Bool {
        if let last = summaries.last, bytes >= AnswerBounds.bytes || summaries.count == AnswerBounds.rows {
            next = TagPosition(behind: last)
            return false
        }
        var summary = summary
        summary.tag = summary.tag.boundedName
        summary.kind = summary.kind.boundedName
        summary.version = summary.version?.boundedName
        // Covers the other members of the JSON.
        bytes += summary.tag.utf8.count + (summary.version?.utf8.count ?? 0) + 150
        if let last = summaries.last, TagPosition(last) == TagPosition(summary) {
            summaries[summaries.count - 1].add(summary)
        } else {
            summaries.append(summary)
        }
        return true
    }
}

package struct TagCounts {
    private struct Key: Hashable {
        var tag: String
        var kind: Kind
        var version: String?

        init(_ row: RecordRow, _ version: String?) {
            (tag, kind, self.version) = (row.tag.boundedName, row.kind, version?.boundedName)
        }
    }

    private var counts: [Key: TagSummary] = [:]
    /// Removed by ``fold(_:)``.
    private(set) var unlisted = UnlistedNames()

    package init() {}

    package var summaries: some Collection<TagSummary> { counts.values }

    /// Counts a row if a dictionary may define its kind.
    package mutating func add(_ row: RecordRow, version: String?, arrived: Int64) {
        guard row.kind.hasTagCount else { return }
        let time = PlausibleTime.counted(row.time, arrived: arrived)
        let key = Key(row, version)
        add(
            TagSummary(
                tag: key.tag, kind: row.kind.rawValue, version: key.version, count: 1, firstTime: time, lastTime: time),
            key)
    }

    private mutating func add(_ summary: TagSummary, _ key: Key) {
        if counts[key]?.add(summary) == nil { counts[key] = summary }
    }

    /// Subtracts an erased row; first and last times stay.
    mutating func remove(_ row: RecordRow, version: String?) {
        let (key, unversioned) = (Key(row, version), Key(row, nil))
        let place = counts[key].map { $0.count > 0 } == true ? key : unversioned
        if let count = counts[place]?.count, count > 0 { counts[place]?.count -= 1 }
    }

    mutating func fold(_ bound: NameBound) {
        guard counts.count > bound.most else { return }
        for (key, summary) in rest(behind: bound.kept, where: { $0.version != nil }) {
            counts[key] = nil
            var (whole, place) = (summary, key)
            (whole.version, place.version) = (nil, nil)
            unlisted.versions.add(clamping: summary.count)
            add(whole, place)
        }
        for (key, summary) in rest(behind: bound.kept + bound.kept / 2, where: { _ in true }) {
            counts[key] = nil
            unlisted.tags.add(clamping: summary.count)
        }
    }

    /// The rows to fold: all but the `kept` most frequent.
    private func rest(behind kept: Int, where condition: (Key) -> Bool) -> ArraySlice<(key: Key, value: TagSummary)> {
        counts.filter { condition($0.key) }.sorted { left, right in
            let (one, other) = (left.value, right.value)
            guard (one.count, one.lastTime) == (other.count, other.lastTime) else {
                return (one.count, one.lastTime) > (other.count, other.lastTime)
            }
            return TagPosition.isBefore(TagPosition(one), TagPosition(other))
        }.dropFirst(kept)
    }
}

extension Kind {
    /// Whether tags of this kind are counted, because a dictionary may define them.
    package var hasTagCount: Bool {
        switch self {
        case .message, .error, .event: true
        case .span, .request, .run: false
        }
    }
}

extension Sequence<TagSummary> {
    /// The summaries with all versions merged, ordered by tag and kind.
    public func mergingVersions() -> [TagSummary] {
        var merged: [[String]: TagSummary] = [:]
        for var summary in self {
            summary.version = nil
            merged[[summary.tag, summary.kind]]?.add(summary)
                ?? { merged[[summary.tag, summary.kind]] = summary }()
        }
        return merged.values.sorted { ($0.tag, $0.kind) < ($1.tag, $1.kind) }
    }
}

/// A session's position: latest first, then by name in byte order.
public struct SessionPlace: Sendable, Hashable, Comparable {
    /// The time of the session's latest record, in nanoseconds since 1970.
    public var lastTime: Int64
    public var session: String

    public init(lastTime: Int64, session: String) {
        self.lastTime = lastTime
        self.session = session
    }

    public static func < (left: Self, right: Self) -> Bool {
        guard left.lastTime == right.lastTime else { return left.lastTime > right.lastTime }
        return left.session.utf8.lexicographicallyPrecedes(right.session.utf8)
    }
}

extension SessionSummary {
    /// The position after this session, and after all names cut to its name.
    public var place: SessionPlace {
        SessionPlace(lastTime: lastTime, session: AnswerBounds.position(after: session))
    }
}

public struct SessionQuery: Sendable, Hashable {
    /// Most sessions, 1–1,000. Default 50.
    public var limit = 50
    /// Only sessions after this position: the ``SessionSummary/place`` of the previous page's last session.
    public var before: SessionPlace?
    /// Only sessions of this installation.
    public var installation: String?
    public var session: String?
    /// Only sessions where each word occurs in session, installation, version or device, ignoring case and width.
    public var search: String?

    /// Creates a query for the latest 50 sessions.
    public init() {}

    package var rowLimit: Int { min(max(limit, 1), 1_000) }

    package func matches(_ summary: SessionSummary) -> Bool {
        (before.map { $0 < SessionPlace(lastTime: summary.lastTime, session: summary.session) } ?? true)
            && (installation == nil || summary.installation == installation)
            && (session == nil || summary.session == session)
            && finds([summary.session, summary.installation, summary.version, summary.device])
    }

    func finds(_ names: [String?]) -> Bool {
        guard let search else { return true }
        let text = TextFolding.bytes(of: names.compactMap(\.self).joined(separator: "\n"))
        return TextFolding.bytes(of: search).split(separator: 0x20).allSatisfy { text.firstRange(of: $0) != nil }
    }

    func page(of summaries: some Sequence<SessionSummary>) -> [SessionSummary] {
        let sorted = summaries.filter(matches).sorted {
            SessionPlace(lastTime: $0.lastTime, session: $0.session)
                < SessionPlace(lastTime: $1.lastTime, session: $1.session)
        }
        return sorted.prefix(rowLimit).map(\.bounded)
    }
}

/// A summary of a user's visit. Its names have at most ``AnswerBounds/nameBytes``.
public struct SessionSummary: Sendable, Hashable {
    public var session: String
    public var installation: String?
    /// The `service.version` in the context of its latest record.
    public var version: String?
    /// The `device.model.name`, otherwise the `device.model.identifier`, in the context of its latest record.
    public var device: String?
    public var count: Int64
    /// Records with a severity number of at least 17 (error).
    public var errors: Int64
    /// The time of its first record, in nanoseconds since 1970.
    public var firstTime: Int64
    /// The time of its last record, in nanoseconds since 1970.
    public var lastTime: Int64

    public init(
        session: String, installation: String? = nil, version: String? = nil, device: String? = nil, count: Int64,
        errors: Int64, firstTime: Int64, lastTime: Int64
    ) {
        self.session = session
        self.installation = installation
        self.version = version
        self.device = device
        self.count = count
        self.errors = errors
        self.firstTime = firstTime
        self.lastTime = lastTime
    }

    package init(emptyFor session: String) {
        self.init(session: session, count: 0, errors: 0, firstTime: .max, lastTime: .min)
    }

    mutating func add(_ row: RecordRow, arrived: Int64) {
        add(
            time: PlausibleTime.counted(row.time, arrived: arrived), level: Int64(row.level),
            installation: row.installation, fields: ContextFields(row.context))
    }

    package var bounded: SessionSummary {
        var bounded = self
        bounded.session = session.boundedName
        bounded.installation = installation?.boundedName
        bounded.version = version?.boundedName
        bounded.device = device?.boundedName
        return bounded
    }

    /// Adds a record that arrived later than those before.
    /// - Parameter time: The time it counts at, see ``PlausibleTime``.
    package mutating func add(time: Int64, level: Int64, installation: String?, fields: ContextFields) {
        count += 1
        if level >= 17 { errors += 1 }
        firstTime = count == 1 ? time : PlausibleTime.first(firstTime, time)
        // At equal times, the later arrival wins.
        guard time >= lastTime else { return }
        lastTime = time
        self.installation = installation
        version = fields.version
        device = fields.device
    }

    /// Adds earlier arrivals of the session.
    mutating func add(older: SessionSummary) {
        count.add(clamping: older.count)
        errors.add(clamping: older.errors)
        firstTime = PlausibleTime.first(firstTime, older.firstTime)
        guard older.lastTime > lastTime else { return }
        lastTime = older.lastTime
        installation = older.installation
        version = older.version
        device = older.device
    }
}
