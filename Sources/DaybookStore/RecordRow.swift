import Daybook

/// One record as a store keeps it: the columns of the table `records`, but for the arrival number `id`.
public struct RecordRow: Sendable, Hashable {
    /// The record's identity across deliveries: `log.record.uid`, or a digest made by the collector.
    public var uid: String
    /// The record's number in its stream, where the sender has streams; see ``RecordBatch/origin``. Not a column.
    public var sequence: UInt64?
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public var time: Int64
    /// What the record is.
    public var kind: Kind
    /// OpenTelemetry severity number, 1–24; 0 where the sender gave none.
    public var level: Int
    /// Dot-separated terms; an event's is `category.event`.
    public var tag: String
    /// The free text, if any.
    public var message: String?
    /// The Swift module that logged it, if known.
    public var module: String?
    /// The record's own attributes: the text of a JSON object.
    public var attributes: String
    /// The attributes common to all records at its time: the text of a JSON object.
    public var context: String
    /// The user's visit.
    public var session: String?
    /// The installation that sent it.
    public var installation: String?
    /// 32 lowercase hexadecimal digits.
    public var traceID: String?
    /// 16 lowercase hexadecimal digits.
    public var spanID: String?
    /// 16 lowercase hexadecimal digits.
    public var parentSpanID: String?
    /// Nanoseconds, for spans and requests.
    public var duration: Int64?
    /// Where it was logged: file, function, line (from 1).
    public var file: String?
    public var function: String?
    public var line: Int?

    /// A row with only what every record has.
    public init(
        uid: String, time: Int64, kind: Kind, level: Int, tag: String, attributes: String = "{}", context: String = "{}"
    ) {
        self.uid = uid
        self.time = time
        self.kind = kind
        self.level = level
        self.tag = tag
        self.attributes = attributes
        self.context = context
    }
}

/// A row with its arrival number.
public struct StoredRecord: Sendable, Hashable {
    /// Arrival order within the store, from 1; later arrivals have larger numbers.
    public var id: Int64
    /// The columns.
    public var row: RecordRow

    /// Pairs a row with its number.
    public init(id: Int64, row: RecordRow) {
        self.id = id
        self.row = row
    }
}
