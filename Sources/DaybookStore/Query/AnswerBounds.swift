import DaybookBase
import DaybookTools

/// The limits of one answer. One that reaches them says where to continue.
public enum AnswerBounds {
    /// Bytes of text: 4 MiB. The record or row that exceeds it is the last one.
    public static let bytes = 4 << 20
    /// The longest name in counts and lists, in bytes. Longer names are cut, and counted together if then equal.
    public static let nameBytes = 1_000
    /// Rows per page of tags or streams.
    package static let rows = 10_000
    /// Memory for counts by value, in bytes.
    package static let countedBytes = 16 << 20

    /// A position after a name in byte order, and after all names cut to it.
    package static func position(after name: String) -> String {
        name.utf8.count < nameBytes - 3 ? name : name.boundedName + "\u{10FFFF}"
    }
}

extension String {
    /// Cut to ``AnswerBounds/nameBytes`` between scalars; a character's length is unbounded.
    package var boundedName: String {
        guard utf8.count > AnswerBounds.nameBytes else { return self }
        var end = utf8.index(startIndex, offsetBy: AnswerBounds.nameBytes)
        while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension RecordRow {
    package var bytes: Int {
        let own = uid.utf8.count + tag.utf8.count + attributes.utf8.count + context.utf8.count
        let others = [message, module, session, installation, traceID, spanID, parentSpanID, file, function]
        return others.reduce(own) { $0 + ($1?.utf8.count ?? 0) }
    }
}

package struct PageBuilder {
    private let rows: Int
    private let bytes: Int
    /// Masked sizes count; otherwise the page's size would reveal hidden values.
    private let mask: RecordMask?
    package private(set) var records: [StoredRecord] = []
    private(set) var taken = 0
    /// A record with more hidden bytes than this is kept masked.
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

    /// Adds a record; returns whether the page is now full.
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
    /// Whether the bytes, not the records, fill the page.
    package var isCut: Bool { records.count < rows && taken >= bytes }
    package var room: Int { max(rows - records.count, 0) }
}
