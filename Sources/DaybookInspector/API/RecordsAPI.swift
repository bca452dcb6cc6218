import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools

/// Pages of records, one record, and how many have come.
struct RecordsAPI: Sendable {
    let store: any EventStore
    let verdicts: Verdicts
    let filters: FilterReading
    /// Knows what records a run is made of.
    let runs: RunsAPI
    let disclosure: Disclosure
    /// Whether phones can be paired with this inspector.
    var pairs = false
    /// Of a statement on the SQL screen.
    var limits = QueryLimits()
    /// The screen of an address that names none.
    var start = "history"

    var routes: [HTTPRoute] {
        [
            HTTPRoute("GET", "/api/v1/status") { _ in try await status() },
            HTTPRoute(
                "GET", "/api/v1/records",
                parameters: RecordParameters.names.union(TimeParameters.bounds).union(["form", "sort"])
            ) { try await page(runs.narrowed($0.query)) },
            HTTPRoute(
                "DELETE", "/api/v1/records", parameters: FilterParameters.names.subtracting(["live"]), work: .long
            ) { try await erase($0.query) },
            HTTPRoute("GET", "/api/v1/records/count", parameters: RecordParameters.names) {
                try await count(runs.narrowed($0.query))
            },
            HTTPRoute("GET", "/api/v1/records/{id}", parameters: ["private"]) {
                try await record($0.number("id"), $0.query)
            },
        ]
    }

    func status() async throws -> HTTPResponse {
        let head = try await store.head()
        return Envelope.success {
            $0.object {
                $0.key("head")
                $0.integer(head)
                $0.key("sql_rows")
                $0.integer(Int64(limits.rows))
                $0.key("sql_milliseconds")
                $0.integer(limits.time.milliseconds)
                $0.key("pairing")
                $0.bool(pairs)
                $0.key("start")
                $0.string(start)
            }
        }
    }

    /// A page, or what of it was found in the time that one answer may take.
    func page(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        let policy = try disclosure.policy(parameters) {
            "private values of records: \(Disclosure.text(of: parameters))"
        }
        let isWhole = try WireForm.isAsked(.stored, in: parameters)
        let rest = parameters.filter { $0.name != WireForm.parameter }
        // The head first: a record that arrives in between is then announced again, never missed.
        if try RecordParameters.areByTime(rest) {
            let query = try TimeParameters(rest, filters: filters).query
            let head = try await store.head()
            let slice = try await store.slice(query)
            return page(head, slice.records, slice.isPartial, policy, isWhole) {
                $0.remainder(next: slice.next.map { "\($0.time).\($0.id)" }, slice.progress)
            }
        }
        let query = try RecordParameters(rest.filter { $0.name != "sort" }, filters: filters).query
        let head = try await store.head()
        let slice = try await store.slice(query)
        return page(head, slice.records, slice.isPartial, policy, isWhole) {
            $0.remainder(next: slice.next, slice.progress)
        }
    }

    private func page(
        _ head: Int64, _ records: [StoredRecord], _ isPartial: Bool, _ policy: MaskingPolicy?, _ isWhole: Bool,
        _ remainder: (inout JSONBuilder) -> Void
    ) -> HTTPResponse {
        let times = PlausibleTime.range(at: filters.now())
        return Envelope.success {
            $0.object {
                $0.key("head")
                $0.integer(head)
                $0.key("records")
                $0.array(of: records) {
                    if isWhole { return $0.stored(policy.map($1.masked) ?? $1) }
                    $0.record($1, by: verdicts, times: times, masking: policy, bounds: .listed)
                }
                $0.key("partial")
                $0.bool(isPartial)
                remainder(&$0)
            }
        }
    }

    func count(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        var query = try RecordParameters(parameters, filters: filters).query
        query.limit = 1_000
        query.order = .oldestFirst
        let head = try await store.head()
        let slice = try await store.slice(query)
        let isFull = slice.records.count == query.rowLimit
        let next = slice.isPartial ? slice.next : isFull ? slice.records.last?.id : nil
        return Envelope.success {
            $0.object {
                $0.key("head")
                $0.integer(head)
                $0.key("count")
                $0.integer(Int64(slice.records.count))
                $0.key("more")
                $0.bool(next != nil)
                $0.remainder(next: next, slice.progress)
            }
        }
    }

    /// Removes what matches for good. As for `daybook erase`, there must be a condition.
    func erase(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        // What goes is what is stored: who may erase may see all of it.
        var reader = ParameterReader(parameters, filters, sight: .whole)
        try reader.read(own: []) { _, _ in }
        let condition = reader.filter.condition
        do throws(StoreError) {
            try condition.checkForErasing(at: filters.now())
        } catch {
            throw Problem(.badRequest, error.message)
        }
        let erased = try await store.erase(condition)
        disclosure.tell("erased \(erased) records by \(parameters.map(\.name).joined(separator: ", "))")
        let remains = await store.erasureRemains()
        return Envelope.success {
            $0.object {
                $0.key("erased")
                $0.integer(erased)
                $0.key("remains")
                $0.string(remains)
            }
        }
    }

    func record(_ id: Int64, _ parameters: [(name: String, value: String)] = []) async throws -> HTTPResponse {
        let policy = try disclosure.policy(parameters) { "private values of the record \(id)" }
        let record = try await stored(id)
        let isUndefined = verdicts.isUndefined(record.row)
        let times = PlausibleTime.range(at: filters.now())
        return Envelope.success {
            $0.object {
                $0.key("record")
                $0.record(record, by: verdicts, times: times, masking: policy, bounds: .whole)
                $0.key("undefined")
                $0.bool(isUndefined)
                $0.key("nearest")
                $0.string(isUndefined ? verdicts.nearest(to: record.row.tag.boundedName) : nil)
            }
        }
    }

    /// The record with an arrival number.
    /// - Throws: ``Problem`` when there is none.
    func stored(_ id: Int64) async throws -> StoredRecord {
        guard id > 0, id < Int64.max else { throw Problem(.notFound, "No record has the number \(id).") }
        guard let record = try await store.record(id: id) else {
            throw Problem(.notFound, "No record has the number \(id); it was deleted, or has not arrived.")
        }
        return record
    }
}

extension JSONBuilder {
    /// `next` and `progress` of an answer that may be a part.
    mutating func remainder(next: Int64?, _ progress: SearchProgress) {
        key("next")
        if let next { integer(next) } else { null() }
        self.progress(progress)
    }

    /// The same in the order of time, where `next` is a place.
    fileprivate mutating func remainder(next: String?, _ progress: SearchProgress) {
        key("next")
        string(next)
        self.progress(progress)
    }

    private mutating func progress(_ progress: SearchProgress) {
        key("progress")
        object {
            $0.key("done")
            $0.integer(progress.done)
            $0.key("total")
            $0.integer(progress.total)
        }
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}

/// How much of a record an answer has: a list has no room for values that are long.
struct RecordBounds {
    /// Bytes of a text.
    var text: Int
    /// Bytes of `attributes` and of `context` each.
    var object: Int

    static let listed = RecordBounds(text: 4_096, object: 16_384)
    static let whole = RecordBounds(text: .max, object: .max)
}

extension JSONBuilder {
    /// A record: the columns of the table `records` by their names, what is wrong with what is shown by its definition,
    /// whether its time is implausible, whether something of it is masked, and whether something is cut.
    /// - Parameter times: the plausible ones.
    mutating func record(
        _ record: StoredRecord, by verdicts: Verdicts, times: Range<Int64>, masking: MaskingPolicy?,
        bounds: RecordBounds
    ) {
        let row = masking.map(record.row.masked) ?? record.row
        let violations = verdicts.violations(row)
        var isCut = false
        object {
            func text(_ name: String, _ text: String?, _ writer: inout JSONBuilder) {
                writer.key(name)
                if writer.string(text, limit: bounds.text) { isCut = true }
            }
            $0.key("id")
            $0.integer(record.id)
            text("uid", row.uid, &$0)
            $0.key("time")
            $0.decimal(row.time)
            $0.key("kind")
            $0.string(row.kind.rawValue)
            $0.key("level")
            $0.integer(Int64(row.level))
            text("tag", row.tag, &$0)
            text("message", row.message, &$0)
            text("module", row.module, &$0)
            for (name, json) in [("attributes", row.attributes), ("context", row.context)] {
                $0.key(name)
                if $0.spliced(json, limit: bounds.object) { isCut = true }
            }
            text("session", row.session, &$0)
            text("installation", row.installation, &$0)
            text("trace_id", row.traceID, &$0)
            text("span_id", row.spanID, &$0)
            text("parent_span_id", row.parentSpanID, &$0)
            $0.key("duration")
            $0.decimal(row.duration)
            text("file", row.file, &$0)
            text("function", row.function, &$0)
            $0.key("line")
            if let line = row.line { $0.integer(Int64(line)) } else { $0.null() }
            $0.key("violations")
            $0.array(of: violations) { $0.violation($1) }
            $0.key("implausible")
            $0.bool(!times.contains(row.time))
            $0.key("masked")
            $0.bool(record.isMasked || row != record.row)
            $0.key("cut")
            $0.bool(isCut)
        }
    }

    private mutating func violation(_ violation: Violation) {
        object {
            $0.key("kind")
            $0.string(violation.kind.rawValue)
            $0.key("column")
            $0.string(violation.column?.boundedName)
            $0.key("message")
            $0.string(violation.message, limit: RecordBounds.listed.text)
            $0.key("expected")
            $0.string(violation.expected?.boundedName)
            $0.key("found")
            $0.string(violation.found?.boundedName)
        }
    }
}

/// How stored records stand to the definitions. Without definitions nothing is judged. Safe to share between threads.
struct Verdicts: Sendable {
    private let validator: RecordValidator?

    init(_ definitions: Definitions) {
        validator = definitions.categories.contains { !$0.events.isEmpty } ? RecordValidator(definitions) : nil
    }

    /// What is wrong with a record; empty for what has no definition to keep to.
    func violations(_ row: RecordRow) -> [Violation] {
        guard let validator, concerns(row) else { return [] }
        // Common columns of a record whose context was lost cannot be missed.
        let isContextLost = row.attributes.contains("\"daybook.context.unknown\"")
        return validator.violations(
            tag: row.tag, attributes: row.attributes, context: isContextLost ? nil : row.context)
    }

    /// Whether a record is one that definitions are for.
    private func concerns(_ row: RecordRow) -> Bool { validator != nil && row.kind == .event && !row.isOwn }

    /// Whether a record is an event that nobody defined.
    func isUndefined(_ row: RecordRow) -> Bool {
        guard row.kind == .event, !row.isOwn else { return false }
        return validator.map { !$0.isDefined(row.tag) } ?? true
    }

    /// The defined tag closest to a mistyped one, if one is close.
    func nearest(to tag: String) -> String? { validator?.nearestTag(to: tag) }

    /// Lets pass what violates its definition, or does so in one way.
    /// - Parameters:
    ///   - kind: what is wrong; `nil`, the default, for anything.
    ///   - column: where; `nil`, the default, for anywhere.
    func predicate(_ kind: Violation.Kind? = nil, column: String? = nil) -> RecordPredicate {
        RecordPredicate(
            name: ["violation", kind?.rawValue, column].compactMap(\.self).joined(separator: ":"), concerns: concerns
        ) { row in
            violations(row).contains {
                (kind == nil || $0.kind == kind) && (column == nil || $0.column == column)
            }
        }
    }
}
