/// A record, whole: what filters and outputs see.
///
/// One struct passed whole, so that a new field breaks nobody. Value semantics.
public struct Record: Sendable, Hashable {
    /// The record's number in the journal; 0 before it has one.
    public var sequence: UInt64 = 0
    /// Nanoseconds since 1970-01-01T00:00:00Z; a span's start.
    public var time: Int64
    /// What it is.
    public var kind: Kind
    /// How serious it is.
    public var level: Level
    /// Dot-separated terms.
    public var tag: String
    /// The free text of messages and errors; the name of spans and requests.
    public var message: String?
    /// The record's own attributes.
    public var attributes: Attributes
    /// The attributes common to all records at its time.
    public var context: Attributes = [:]
    /// The names of the attributes, those of `context` included, that the definitions call private: they are delivered,
    /// and masked on screens, in files and in exports; see ``masked``.
    public var privateNames: [String] = []
    /// `Module/File.swift` where it was logged, if kept.
    public var file: String?
    /// The function where it was logged, if kept.
    public var function: String?
    /// The line where it was logged, from 1, if kept.
    public var line: Int?
    /// The column where it was logged, from 1, if kept.
    public var column: Int?
    /// The span that the record belongs to, or that it is.
    public var span: SpanContext?
    /// The span around a span.
    public var parentSpanID: UInt64?
    /// Nanoseconds, for spans and requests.
    public var duration: Int64?
    /// Why a span failed, if it did; empty when no reason was given.
    public var failure: String?

    /// A record with only what every record has.
    public init(
        time: Int64, kind: Kind, level: Level, tag: String, message: String? = nil, attributes: Attributes = [:]
    ) {
        self.time = time
        self.kind = kind
        self.level = level
        self.tag = tag
        self.message = message
        self.attributes = attributes
    }

    /// Whether it took time, and is a span on the wire: a measurement or a request that names its ``span``.
    var isSpan: Bool { (kind == .span || kind == .request) && span != nil }

    /// The Swift module that logged it, if the source was kept.
    public var module: String? {
        guard let file, let slash = file.firstIndex(of: "/") else { return nil }
        return String(file[..<slash])
    }
}
