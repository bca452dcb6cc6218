/// How often and when a tag was seen in a version.
public struct TagSummary: Sendable, Hashable {
    public var tag: String
    public var kind: String
    /// The context's `service.version`; `nil` where the sender gave none.
    public var version: String?
    public var count: Int64
    /// Nanoseconds since 1970.
    public var firstTime: Int64
    /// Nanoseconds since 1970.
    public var lastTime: Int64

    /// A summary of one tag.
    public init(tag: String, kind: String, version: String? = nil, count: Int64, firstTime: Int64, lastTime: Int64) {
        self.tag = tag
        self.kind = kind
        self.version = version
        self.count = count
        self.firstTime = firstTime
        self.lastTime = lastTime
    }

    package mutating func add(_ other: TagSummary) {
        count += other.count
        firstTime = min(firstTime, other.firstTime)
        lastTime = max(lastTime, other.lastTime)
    }
}

extension Sequence<TagSummary> {
    /// The same without telling versions apart, by tag and kind.
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

/// Which sessions are asked for.
public struct SessionQuery: Sendable, Hashable {
    /// At most this many, 1–1,000. Default 50.
    public var limit = 50
    /// Only sessions whose latest record is older than this (exclusive): ``SessionSummary/lastTime`` of the last one
    /// of the page before.
    public var before: Int64?
    /// Only of this installation.
    public var installation: String?

    /// The 50 latest.
    public init() {}
}

/// A user's visit in short.
public struct SessionSummary: Sendable, Hashable {
    public var session: String
    public var installation: String?
    /// The context's `service.version` of its latest record.
    public var version: String?
    /// The context's `device.model.name`, or else `device.model.identifier`, of its latest record.
    public var device: String?
    public var count: Int64
    /// Records with a severity number of 17 (error) or above.
    public var errors: Int64
    /// Nanoseconds since 1970.
    public var firstTime: Int64
    /// Nanoseconds since 1970.
    public var lastTime: Int64

    /// A session.
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
}
