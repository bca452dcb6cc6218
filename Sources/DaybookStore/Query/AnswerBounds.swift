import DaybookBase
import DaybookTools

/// The largest size of one answer of a store, whatever is stored. If there is more, the answer says where to continue.
public enum AnswerBounds {
    /// The size of one answer in bytes, counted by its texts: 4 MiB. The record or row that exceeds it is the last one.
    public static let bytes = 4 << 20
    /// The longest name in counts and lists of sessions, tags and streams, in bytes; longer names are cut, and those
    /// that are equal up to there are counted together.
    public static let nameBytes = 1_000
    /// Rows of one page of tags or streams.
    package static let rows = 10_000
    /// Bytes that counts by value take while they are being made.
    package static let countedBytes = 16 << 20

    /// Behind a name in the order of its bytes, and behind all that are cut to it.
    package static func position(after name: String) -> String {
        name.utf8.count < nameBytes - 3 ? name : name.boundedName + "\u{10FFFF}"
    }
}

extension String {
    /// A name as lists and counts have it. It is cut between scalars, not between characters, of which one may be as long as
    /// anybody likes: a place among names must be theirs.
    package var boundedName: String {
        guard utf8.count > AnswerBounds.nameBytes else { return self }
        var end = utf8.index(startIndex, offsetBy: AnswerBounds.nameBytes)
        while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension RecordRow {
    /// Bytes of its texts.
    package var bytes: Int {
        let own = uid.utf8.count + tag.utf8.count + attributes.utf8.count + context.utf8.count
        let others = [message, module, session, installation, traceID, spanID, parentSpanID, file, function]
        return others.reduce(own) { $0 + ($1?.utf8.count ?? 0) }
    }
}

/// A page of records while it is being filled.
package struct PageFilling {
    private let rows: Int
    private let bytes: Int
    /// What the asker sees of a record counts, or how much there is would tell of the rest.
    private let mask: RecordMask?
    package private(set) var records: [StoredRecord] = []
    private(set) var taken = 0
    /// So many bytes of a record that are not shown are not kept.
    private static let mostHidden = 64 << 10

    package init(_ query: RecordQuery) {
        rows = query.rowLimit
        bytes = query.bytes
        mask = query.filter.sight.mask
    }

    package init(_ query: TimeQuery) {
        rows = query.rowLimit
        bytes = AnswerBounds.bytes
        mask = query.filter.sight.mask
    }

    /// Takes a record; whether the page is full with it.
    package mutating func add(_ record: StoredRecord) -> Bool {
        let shown = mask?.seen(record.row, hasMessage: true).shown
        taken += (shown ?? record.row).bytes
        if let shown, record.row.bytes - shown.bytes > Self.mostHidden {
            records.append(StoredRecord(id: record.id, row: shown, isMasked: true))
        } else {
            records.append(record)
        }
        return isFull
    }

    package var isFull: Bool { records.count >= rows || isCut }
    /// Whether the page is full by its bytes, and not yet by its records.
    package var isCut: Bool { records.count < rows && taken >= bytes }
    /// How many more records it may take.
    package var room: Int { max(rows - records.count, 0) }
}
