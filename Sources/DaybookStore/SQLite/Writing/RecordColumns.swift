/// The columns of `records` in one order, for writing and for reading.
package enum RecordColumns {
    package static let names =
        "id, uid, time, kind, level, tag, message, module, attributes, context, session, installation, "
        + "trace_id, span_id, parent_span_id, duration, file, function, line"

    static let insertion = "INSERT INTO records(\(names)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"

    /// The record of a statement's present row, whose columns are ``names``.
    static func record(_ statement: SQLiteStatement) -> StoredRecord {
        var row = RecordRow(
            uid: statement.text(1), time: statement.integer(2), kind: .init(rawValue: statement.text(3)) ?? .message,
            level: Int(statement.integer(4)), tag: statement.text(5), attributes: statement.text(8),
            context: statement.text(9))
        row.message = statement.optionalText(6)
        row.module = statement.optionalText(7)
        row.session = statement.optionalText(10)
        row.installation = statement.optionalText(11)
        row.traceID = statement.optionalText(12)
        row.spanID = statement.optionalText(13)
        row.parentSpanID = statement.optionalText(14)
        row.duration = statement.optionalInteger(15)
        row.file = statement.optionalText(16)
        row.function = statement.optionalText(17)
        row.line = statement.optionalInteger(18).map { Int(clamping: $0) }
        return StoredRecord(id: statement.integer(0), row: row)
    }
}

/// Gives the values of rows to the inserting statement without a copy on the heap for each text.
///
/// The texts of one row are put together in memory of this object; the statement borrows them until it has run. Belongs
/// to the writer's queue.
final class RowBinding {
    // Owned by this object alone: allocated and freed here. Borrowed by the statement between `insert` and the end of its
    // step, within one call.
    private var storage: UnsafeMutablePointer<UInt8>
    private var capacity = 4_096
    private var used = 0

    init() { storage = .allocate(capacity: capacity) }

    deinit { storage.deallocate() }

    /// Inserts a row under an arrival number.
    /// - Throws: ``StoreError``.
    func insert(_ row: RecordRow, id: Int64, by statement: SQLiteStatement) throws(StoreError) {
        reserve(for: row)
        used = 0
        statement.bind(1, id)
        bind(2, row.uid, statement)
        statement.bind(3, row.time)
        bind(4, row.kind.rawValue, statement)
        statement.bind(5, Int64(row.level))
        bind(6, row.tag, statement)
        bind(7, row.message, statement)
        bind(8, row.module, statement)
        bind(9, row.attributes, statement)
        bind(10, row.context, statement)
        bind(11, row.session, statement)
        bind(12, row.installation, statement)
        bind(13, row.traceID, statement)
        bind(14, row.spanID, statement)
        bind(15, row.parentSpanID, statement)
        statement.bind(16, row.duration)
        bind(17, row.file, statement)
        bind(18, row.function, statement)
        statement.bind(19, row.line.map(Int64.init))
        defer {
            statement.reset()
            // What was lent is taken back.
            statement.clear()
        }
        _ = try statement.step()
    }

    private func bind(_ place: Int32, _ text: String?, _ statement: SQLiteStatement) {
        guard var text else {
            statement.bind(place, String?.none)
            return
        }
        text.withUTF8 { units in
            let start = storage + used
            if let base = units.baseAddress { start.update(from: base, count: units.count) }
            used += units.count
            statement.bindBorrowed(place, UnsafeBufferPointer(start: start, count: units.count))
        }
    }

    /// Makes room for all texts at once: what is lent must not move.
    private func reserve(for row: RecordRow) {
        // The longest kind has 7 bytes.
        var count = row.uid.utf8.count + row.tag.utf8.count + row.attributes.utf8.count + row.context.utf8.count + 16
        count += (row.message?.utf8.count ?? 0) + (row.module?.utf8.count ?? 0) + (row.session?.utf8.count ?? 0)
        count += (row.installation?.utf8.count ?? 0) + (row.file?.utf8.count ?? 0) + (row.function?.utf8.count ?? 0)
        count += (row.traceID?.utf8.count ?? 0) + (row.spanID?.utf8.count ?? 0) + (row.parentSpanID?.utf8.count ?? 0)
        guard count > capacity else { return }
        storage.deallocate()
        capacity = max(count, capacity * 2)
        storage = .allocate(capacity: capacity)
    }
}
