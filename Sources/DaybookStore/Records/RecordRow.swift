import DaybookBase

/// One record as stored: the columns of the table `records`, except the arrival number `id`.
public struct RecordRow: Sendable, Hashable {
    /// Identifies the record across deliveries: `log.record.uid`, or a digest keyed by the store.
    public var uid: String
    /// Whether ``uid`` is a digest that no store has keyed yet. Not a column.
    package var isDigest = false
    /// The record's sequence number, if its sender has streams; see ``RecordBatch/origin``. Not a column.
    public var sequence: UInt64?
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public var time: Int64
    public var kind: Kind
    /// The OpenTelemetry severity number, 1–24; 0 if the sender gave none.
    public var level: Int
    /// Dot-separated terms; an event's tag is `category.event`.
    public var tag: String
    public var message: String?
    /// The Swift module that logged it, if known.
    public var module: String?
    /// The record's own attributes, as a JSON object.
    public var attributes: String
    /// The attributes common to all records at its time, as a JSON object.
    public var context: String
    public var session: String?
    /// The id of the sending installation.
    public var installation: String?
    /// 32 lowercase hexadecimal digits.
    public var traceID: String?
    /// 16 lowercase hexadecimal digits.
    public var spanID: String?
    /// 16 lowercase hexadecimal digits.
    public var parentSpanID: String?
    /// In nanoseconds, for spans and requests.
    public var duration: Int64?
    /// The source location: file, function, line (from 1).
    public var file: String?
    public var function: String?
    public var line: Int?

    /// Creates a row with the required columns.
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

extension RecordRow {
    /// Bytes of all texts except the context, which many rows share.
    package var ownBytes: Int {
        func bytes(_ text: String?) -> Int { text?.utf8.count ?? 0 }
        // Not over an array, which would allocate twice for every stored record.
        return uid.utf8.count + tag.utf8.count + attributes.utf8.count + kind.rawValue.utf8.count + bytes(message)
            + bytes(module) + bytes(session) + bytes(installation) + bytes(file) + bytes(function) + bytes(traceID)
            + bytes(spanID) + bytes(parentSpanID)
    }
}

/// A row with its arrival number.
public struct StoredRecord: Sendable, Hashable {
    /// The arrival number in the store, from 1; later arrivals have larger numbers.
    public var id: Int64
    public var row: RecordRow
    /// Whether hidden values were dropped.
    package var isMasked = false

    public init(id: Int64, row: RecordRow) {
        self.id = id
        self.row = row
    }

    package init(id: Int64, row: RecordRow, isMasked: Bool) {
        self.init(id: id, row: row)
        self.isMasked = isMasked
    }
}

/// Records that are stored together or not at all.
public struct RecordBatch: Sendable {
    /// The stream (journal and epoch) and the interval of sequence numbers that a batch settles, if its sender numbers
    /// records.
    public struct Origin: Sendable, Hashable {
        public var stream: String
        public var interval: SequenceInterval
        /// The import stream, whose settled numbers count here too. Named by the sender until the collector knows the
        /// owner.
        package var importStream: String?
        /// The digest of an imported file; cleared once the store has keyed it.
        package var file: String?
        /// The sender's proof that it began the stream; cleared once the collector has checked it.
        package var proof: String?

        /// Creates the interval (`after`, `through`] of `stream`.
        public init(stream: String, after: UInt64, through: UInt64) {
            self.stream = stream
            interval = SequenceInterval(after: after, through: through)
        }

        /// For an import of an owner's stream: an empty interval settles exactly the batch's rows.
        package static func imported(of stream: String, by owner: String) -> Origin {
            Origin(stream: importName(of: stream, by: owner), after: 0, through: 0)
        }

        package static func importName(of stream: String, by owner: String) -> String {
            StreamOwner.importName(of: stream, by: owner)
        }

        /// For imported records without an owner, identified by position in the file.
        /// - Parameter digest: Of the file's content.
        package static func imported(file digest: String) -> Origin {
            var origin = Origin(stream: importName(ofFile: digest), after: 0, through: 0)
            origin.file = digest
            return origin
        }

        static func importName(ofFile file: String) -> String { file + "/import" }
    }

    /// Set if the sender numbers its records: rows that an earlier batch settled are duplicates.
    public var origin: Origin?
    /// The sender's losses; `nil` without a report. Only with an ``origin``.
    public var losses: LossReport?
    /// The rows, in the sender's order.
    public var rows: [RecordRow]
    /// When the batch arrived, in nanoseconds since 1970, by the storing machine's clock. Retention uses it.
    public var arrived: Int64
    /// A row with its sender's own uid.
    package struct Identified: Sendable, Hashable {
        package var place: Int
        /// Whether the time is the sender's, too.
        package var hasTime: Bool

        package init(place: Int, hasTime: Bool) { (self.place, self.hasTime) = (place, hasTime) }
    }

    /// Set only for senders that do not number their records.
    package var identified: [Identified] = []
    /// The identity for a batch of a stream without rows.
    package var sender: StreamIdentity?
    /// Whether the rows come from a file; rows already stored, from any sender, are then duplicates.
    package var isImport = false

    /// Creates a batch; `arrived` defaults to now.
    public init(
        origin: Origin? = nil, losses: LossReport? = nil, rows: [RecordRow],
        arrived: Int64 = PipelineClock.system.wall()
    ) {
        self.origin = origin
        self.losses = losses
        self.rows = rows
        self.arrived = arrived
    }

    /// Splits the batch, lazily to save memory. A numbered batch stays whole, because it settles its interval.
    func parts(of limit: Int) -> some Collection<RecordBatch> {
        let size = origin == nil ? limit : max(limit, rows.count)
        return (0...(max(1, rows.count) - 1) / size).lazy.map { part(from: $0 * size, of: size) }
    }

    private func part(from start: Int, of size: Int) -> RecordBatch {
        guard rows.count > size else { return self }
        let places = start..<min(start + size, rows.count)
        var part = self
        part.rows = Array(rows[places])
        part.identified = identified.filter { places.contains($0.place) }.map { row in
            Identified(place: row.place - start, hasTime: row.hasTime)
        }
        return part
    }
}

/// The result of appending a batch.
public struct AppendResult: Sendable, Hashable {
    /// Rows now stored.
    public var stored: Int
    /// Rows that were already stored.
    public var duplicates: Int

    public init(stored: Int, duplicates: Int) {
        self.stored = stored
        self.duplicates = duplicates
    }
}

/// The members of a context that a store reads itself.
package struct ContextFields: Hashable {
    /// `service.version`.
    package var version: String?
    /// `device.model.name`, otherwise `device.model.identifier`.
    package var device: String?
    /// ``StreamOwner/member``.
    package var owner: String?

    /// Parses a JSON object; another text has no fields.
    package init(_ context: String) {
        guard context.utf8.count > 2, let members = Attributes(json: context) else { return }
        version = Self.text(members, "service.version")
        device = Self.text(members, "device.model.name") ?? Self.text(members, "device.model.identifier")
        owner = Self.text(members, StreamOwner.member)
    }

    private static func text(_ members: Attributes, _ key: String) -> String? {
        // Of a repeated key the first value counts, as in SQL.
        members.elements.first { $0.key == key }?.value.plainText
    }
}

/// Caches the last context's fields; consecutive contexts are usually equal.
package struct ContextFieldsCache {
    private var context = ""
    private var fields = ContextFields("")

    package init() {}

    package mutating func fields(of context: String) -> ContextFields {
        if context != self.context {
            self.context = context
            fields = ContextFields(context)
        }
        return fields
    }

    /// For UTF-8 bytes; creates a string only when the context changes.
    mutating func fields(of context: UnsafeBufferPointer<UInt8>) -> ContextFields {
        let isKnown = self.context.utf8.withContiguousStorageIfAvailable { known in
            known.count == context.count && known.contains(context)
        }
        return isKnown == true ? fields : fields(of: String(streamSafe: context))
    }
}
