import DaybookBase
import DaybookStore
import DaybookTools

extension SearchProgress {
    package static let form = Form<SearchProgress>.object(
        "Progress", .init("done", .integer, \.done), .init("total", .integer, \.total)
    ) { SearchProgress(done: $0, total: $1) }
}

/// The matches found so far, and where to continue.
package struct PartialAnswer<Element: Sendable>: Sendable {
    package var elements: [Element]
    package var next: Int64?
    package var progress: SearchProgress

    init(_ elements: [Element], next: Int64?, _ progress: SearchProgress) {
        (self.elements, self.next, self.progress) = (elements, next, progress)
    }

    /// - Parameters:
    ///   - name: The TypeScript type.
    ///   - member: The member with the elements.
    static func form(_ name: String, _ member: String, of element: Form<Element>) -> Form<PartialAnswer> {
        .object(
            name, .init(member, .list(element), \.elements), .init("next", .optional(.integer), \.next),
            .init("progress", SearchProgress.form, \.progress)
        ) { PartialAnswer($0, next: $1, $2) }
    }
}

package struct RecordsAnswer<Record: Sendable>: Sendable {
    /// The largest arrival number at the time of the request.
    package var head: Int64
    package var records: [Record]
    package var isPartial: Bool
    package var next: PagePlace?
    package var progress: SearchProgress

    package func map<Other>(_ shown: (Record) -> Other) -> RecordsAnswer<Other> {
        RecordsAnswer<Other>(
            head: head, records: records.map(shown), isPartial: isPartial, next: next, progress: progress)
    }

    package static func form(_ name: String, of record: Form<Record>) -> Form<RecordsAnswer> {
        .object(
            name, .init("head", .integer, \.head), .init("records", .list(record), \.records),
            .init("partial", .bool, \.isPartial),
            .init(
                "next", .optional(PagePlace.form),
                about: "Where to go on, or null when every record was looked at; by time `TIME.ID`.", \.next),
            .init("progress", SearchProgress.form, \.progress), make: RecordsAnswer.init)
    }
}

extension RecordsAnswer<StoredRecord> {
    /// With unmasked, complete values.
    package static let stored = form("StoredRecordPage", of: StoredRecord.form)
}

/// Where the next page continues: after an arrival number, or after a position by time.
package enum PagePlace: Sendable, Hashable {
    case arrival(Int64)
    case time(TimePlace)

    package static let form = Form<PagePlace>("Integer") { place, builder in
        switch place {
        case .arrival(let number): builder.integer(number)
        case .time(let place): builder.string("\(place.time).\(place.id)")
        }
    } read: { value throws(FormError) in
        if case .string(let text) = value, let place = TimePlace(text: text) { return .time(place) }
        return .arrival(try Form<Int64>.integer.read(value))
    }
}

extension TimePlace {
    /// Parses `TIME.ID`; `nil` for other text.
    package init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let id = Int64(parts[1]), id > .min, id < .max else {
            return nil
        }
        self.init(time: time, id: id)
    }
}

extension StoredRecord {
    /// The complete record, with `attributes` and `context` as JSON texts. The page's form is shortened and quotes
    /// numbers that JavaScript would round.
    package static let form = Form<StoredRecord>.object(
        "StoredRecord", .init("id", .integer, \.id), .init("time", .nanoseconds, \.row.time),
        .init("kind", .word.named("Kind"), \.row.kind), .init("level", .number, \.row.level),
        .init("uid", .text, \.row.uid),
        .init("tag", .text, \.row.tag), .init(ifAny: "message", .text, \.row.message),
        .init(ifAny: "module", .text, \.row.module), .init("attributes", .text, \.row.attributes),
        .init("context", .text, \.row.context), .init(ifAny: "session", .text, \.row.session),
        .init(ifAny: "installation", .text, \.row.installation), .init(ifAny: "trace_id", .text, \.row.traceID),
        .init(ifAny: "span_id", .text, \.row.spanID), .init(ifAny: "parent_span_id", .text, \.row.parentSpanID),
        .init(ifAny: "file", .text, \.row.file), .init(ifAny: "function", .text, \.row.function),
        .init(ifAny: "duration", .nanoseconds, \.row.duration), .init(ifAny: "line", .number, \.row.line)
    ) {
        id, time, kind, level, uid, tag, message, module, attributes, context, session, installation, traceID, spanID,
        parentSpanID, file, function, duration, line in
        var row = RecordRow(
            uid: uid, time: time, kind: kind, level: level, tag: tag, attributes: attributes, context: context)
        (row.message, row.module, row.session, row.installation) = (message, module, session, installation)
        (row.traceID, row.spanID, row.parentSpanID) = (traceID, spanID, parentSpanID)
        (row.file, row.function, row.duration, row.line) = (file, function, duration, line)
        return StoredRecord(id: id, row: row)
    }
}

package struct CountAnswer: Sendable {
    package var head: Int64
    package var count: Int
    package var next: Int64?
    package var progress: SearchProgress

    package static let form = Form<CountAnswer>.object(
        "RecordCount", .init("head", .integer, \.head), .init("count", .number, \.count),
        FormField("more", .bool) { $0.next != nil }, .init("next", .optional(.integer), \.next),
        .init("progress", SearchProgress.form, \.progress)
    ) { head, count, _, next, progress in CountAnswer(head: head, count: count, next: next, progress: progress) }
}

package struct ErasureAnswer: Sendable {
    package var erased: Int64
    /// Where and how long erased values may remain; `nil` if they are gone.
    package var remains: String?

    package static let form = Form<ErasureAnswer>.object(
        "Erasure", .init("erased", .integer, \.erased), .init("remains", .optional(.text), \.remains),
        make: ErasureAnswer.init)
}

package struct ImportAnswer: Sendable {
    package var result: AppendResult
    /// Counts of unknown members by path; `nil` if there are none.
    package var unread: [(name: String, value: Int64)]?

    package init(_ result: AppendResult, unread: Unread) {
        self.result = result
        self.unread =
            unread.isEmpty ? nil : unread.counts.sorted { $0.key < $1.key }.map { ($0.key, Int64($0.value)) }
    }

    private init(stored: Int, duplicates: Int, unread: [(name: String, value: Int64)]?) {
        (result, self.unread) = (AppendResult(stored: stored, duplicates: duplicates), unread)
    }

    package static let form = Form<ImportAnswer>.object(
        "ImportAnswer", .init("stored", .number, \.result.stored), .init("duplicates", .number, \.result.duplicates),
        FormField(ifAny: "unread", .members(.integer)) { $0.unread }
    ) { ImportAnswer(stored: $0, duplicates: $1, unread: $2) }
}

/// What a client needs to know about a server first.
package struct StatusAnswer: Sendable {
    package var head: Int64
    /// Limits of a statement on the SQL screen.
    package var limits: QueryLimits
    package var pairs: Bool
    package var start: String

    package init(head: Int64, limits: QueryLimits, pairs: Bool, start: String) {
        (self.head, self.limits, self.pairs, self.start) = (head, limits, pairs, start)
    }

    package static let form = Form<StatusAnswer>.object(
        "Status", .init("head", .integer, \.head),
        .init(
            "sql_rows", .number, absent: 0, about: "Rows and time that a statement on the SQL screen has.",
            \.limits.rows),
        .init("sql_milliseconds", .milliseconds, absent: .zero, \.limits.time),
        .init("pairing", .bool, absent: false, about: "Whether phones can be paired with the collector.", \.pairs),
        .init("start", .text, absent: "", about: "The screen of an address that names none.", \.start)
    ) { head, rows, time, pairs, start in
        var limits = QueryLimits()
        (limits.rows, limits.time) = (rows, time)
        return StatusAnswer(head: head, limits: limits, pairs: pairs, start: start)
    }
}

extension Duration {
    package var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}

/// The bodies of an exchange that an app keeps in memory; `nil` if not, or no longer.
package struct RecordBodies: Sendable {
    package var request: String?
    package var response: String?

    package init(request: String?, response: String?) { (self.request, self.response) = (request, response) }

    static let form = Form<RecordBodies>.object(
        "RecordBodies", .init("request", .optional(.text), \.request), .init("response", .optional(.text), \.response),
        make: RecordBodies.init(request:response:))
}

/// A notice in the live stream: the store has grown.
package struct LiveNotice: Sendable {
    /// The largest arrival number.
    package var head: Int64

    package init(head: Int64) { self.head = head }

    package static let form = Form<LiveNotice>.object(
        "LiveNotice", .init("head", .integer, \.head), make: LiveNotice.init(head:))
}
