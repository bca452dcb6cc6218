import DaybookBase

/// One record as a store keeps it: the columns of the table `records`, except the arrival number `id`.
public struct RecordRow: Sendable, Hashable {
    /// The record's identity across deliveries: `log.record.uid`, or a digest that its store has keyed.
    public var uid: String
    /// Whether ``uid`` is a digest that no store has keyed yet. Not a column.
    package var isDigest = false
    /// The record's number in its stream, if the sender has streams; see ``RecordBatch/origin``. Not a column.
    public var sequence: UInt64?
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public var time: Int64
    /// What the record is.
    public var kind: Kind
    /// The OpenTelemetry severity number, 1–24; 0 if the sender gave none.
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

extension RecordRow {
    /// Bytes of all texts but the context, which many rows share.
    package var ownBytes: Int {
        func bytes(_ text: String?) -> Int { text?.utf8.count ?? 0 }
        // Each by itself: a list of them would be memory and a reference for each, twice for every record that is stored.
        return uid.utf8.count + tag.utf8.count + attributes.utf8.count + kind.rawValue.utf8.count + bytes(message)
            + bytes(module) + bytes(session) + bytes(installation) + bytes(file) + bytes(function) + bytes(traceID)
            + bytes(spanID) + bytes(parentSpanID)
    }
}

/// A row with its arrival number.
public struct StoredRecord: Sendable, Hashable {
    /// Arrival order within the store, from 1; later arrivals have larger numbers.
    public var id: Int64
    /// The columns.
    public var row: RecordRow
    /// Whether what the asker does not see was left out.
    package var isMasked = false

    /// Pairs a row with its number.
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
    /// Where a batch comes from, when its sender numbers its records: the stream (journal and epoch) and the
    /// interval of sequence numbers that it settles.
    public struct Origin: Sendable, Hashable {
        public var stream: String
        public var interval: SequenceInterval
        /// The stream under which an import settles the same records: what it has settled is known here too. As the sender
        /// names its stream, until the door has judged whose it is.
        package var importStream: String?
        /// The digest of the file that an import settles; gone once the store has keyed it.
        package var file: String?
        /// What the sender shows to be the one that began the stream; gone once the door has judged it.
        package var proof: String?

        /// The interval (`after`, `through`] of `stream`.
        public init(stream: String, after: UInt64, through: UInt64) {
            self.stream = stream
            interval = SequenceInterval(after: after, through: through)
        }

        /// What an import settles of an owner's stream: an empty interval, so just the rows that are there.
        package static func imported(of stream: String, by owner: String) -> Origin {
            Origin(stream: importName(of: stream, by: owner), after: 0, through: 0)
        }

        /// The name under which imports of an owner's stream are settled.
        package static func importName(of stream: String, by owner: String) -> String {
            StreamOwner.importName(of: stream, by: owner)
        }

        /// What an import settles of a file: records whose stream nobody owns are known by their places in it.
        /// - Parameter digest: of what the file holds.
        package static func imported(file digest: String) -> Origin {
            var origin = Origin(stream: importName(ofFile: digest), after: 0, through: 0)
            origin.file = digest
            return origin
        }

        /// - Parameter file: what names the file in the store.
        static func importName(ofFile file: String) -> String { file + "/import" }
    }

    /// Set if the sender numbers its records: rows whose sequence was settled by an earlier batch are duplicates.
    public var origin: Origin?
    /// What the sender reports as lost; `nil` if it reports nothing. Only with an ``origin``.
    public var losses: LossReport?
    /// The rows, in the sender's order.
    public var rows: [RecordRow]
    /// When the batch arrived: nanoseconds since 1970, by the clock of whoever stores it. Retention goes by it.
    public var arrived: Int64
    /// A row whose uid is its sender's own.
    package struct Identified: Sendable, Hashable {
        package var place: Int
        /// Whether its time is the sender's, too.
        package var hasTime: Bool

        package init(place: Int, hasTime: Bool) { (self.place, self.hasTime) = (place, hasTime) }
    }

    /// Kept only of a sender that does not number its records.
    package var identified: [Identified] = []
    /// Whose a batch of a stream is that has no row to tell it.
    package var sender: StreamIdentity?
    /// Whether the rows come from a file: those that the store has already, whoever brought them, are duplicates.
    package var isImport = false

    /// A batch that arrives now, unless told otherwise.
    public init(
        origin: Origin? = nil, losses: LossReport? = nil, rows: [RecordRow],
        arrived: Int64 = PipelineClock.system.wall()
    ) {
        self.origin = origin
        self.losses = losses
        self.rows = rows
        self.arrived = arrived
    }

    /// The batch in batches of so many rows at most; one that its sender has numbered is one, for it settles its interval.
    /// Each is made when it is asked for, so that the rows are not in memory twice.
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
    /// Rows that had been stored before.
    public var duplicates: Int

    /// Counts of a batch.
    public init(stored: Int, duplicates: Int) {
        self.stored = stored
        self.duplicates = duplicates
    }
}

/// The members of a context that a store reads itself.
package struct ContextFields: Hashable {
    /// `service.version`.
    package var version: String?
    /// `device.model.name`, or else `device.model.identifier`.
    package var device: String?
    /// ``StreamOwner/member``.
    package var owner: String?

    /// Reads the text of a JSON object; a text that is none has no fields.
    package init(_ context: String) {
        guard context.utf8.count > 2, case .object(let members)? = try? JSONReader.value(of: Array(context.utf8))
        else { return }
        version = Self.text(members, "service.version")
        device = Self.text(members, "device.model.name") ?? Self.text(members, "device.model.identifier")
        owner = Self.text(members, StreamOwner.member)
    }

    private static func text(_ members: Attributes, _ key: String) -> String? {
        // Of a key given twice the first counts, as in SQL.
        switch members.elements.first(where: { $0.key == key })?.value {
        case .string(let text)?: text
        case .int(let number)?: String(number)
        default: nil
        }
    }
}

/// Reads the fields of contexts that are mostly the same from one record to the next.
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

    /// The same of a text in UTF-8, of which a string is made only where it is another one than before.
    mutating func fields(of context: UnsafeBufferPointer<UInt8>) -> ContextFields {
        let isKnown = self.context.utf8.withContiguousStorageIfAvailable { known in
            known.count == context.count && known.contains(context)
        }
        return isKnown == true ? fields : fields(of: String(streamSafe: context))
    }
}
