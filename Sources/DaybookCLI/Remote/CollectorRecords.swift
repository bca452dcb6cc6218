import DaybookBase
import DaybookInspector
import DaybookStore
import DaybookTools

/// The records of a collector elsewhere. What it masks is masked here; `showsPrivate` asks it for everything, which it tells
/// its log. Safe to share between threads.
struct CollectorRecords: RecordAccess {
    /// Bytes of one import.
    private static let importBytes = 4 << 20

    let client: CollectorClient
    var showsPrivate = false
    /// Kept from the last erasure.
    private let remains = Remains()

    private var disclosure: [(name: String, value: String)] { showsPrivate ? [("private", "show")] : [] }

    func slice(_ query: RecordQuery) async throws -> RecordSlice {
        var parameters = try query.filter.parameters() + disclosure
        parameters += [
            (WireForm.parameter, WireForm.stored.rawValue), ("limit", String(query.rowLimit)),
            ("order", query.order == .newestFirst ? "newest" : "oldest"),
        ]
        if let before = query.before { parameters.append(("before", String(max(before, 0)))) }
        if let after = query.after { parameters.append(("after", String(max(after, 0)))) }
        let data = try await client.data("/api/v1/records", .init(parameters: parameters))
        let records = try data.elements("records")?.map { value in
            guard let record = StoredRecord(stored: value) else { throw Self.unreadable }
            return record
        }
        guard let records, let progress = data.members("progress"), case .bool(let isPartial)? = data["partial"] else {
            throw Self.unreadable
        }
        let next = data.number("next")
        guard Self.advance(records.map(\.id), next, in: query) else { throw Self.endless }
        return RecordSlice(
            records: records, next: next, isPartial: isPartial,
            progress: SearchProgress(done: progress.number("done") ?? 0, total: progress.number("total") ?? 0))
    }

    func head() async throws -> Int64 {
        guard let head = try await client.data("/api/v1/status").number("head") else { throw Self.unreadable }
        return head
    }

    /// How many records match, by the values of some of their columns, masked as the collector does.
    /// - Throws: ``StoreError``, or what stood in the way.
    func facets(_ query: FacetQuery) async throws -> Facets {
        var parameters = try query.filter.parameters() + disclosure
        parameters += [
            ("fields", query.fields.map(\.rawValue).joined(separator: ",")), ("limit", String(query.limit)),
        ]
        if let before = query.before { parameters.append(("before", String(max(before, 0)))) }
        let data = try await client.data("/api/v1/facets", .init(parameters: parameters))
        guard let members = data.members("values"), let progress = data.members("progress") else {
            throw Self.unreadable
        }
        var values: [FacetQuery.Field: [Facets.Value]] = [:]
        for field in query.fields {
            values[field] = try (members.elements(field.rawValue) ?? []).map { value in
                guard case .object(let value) = value, let name = value.text("value"), let count = value.number("count")
                else { throw Self.unreadable }
                return Facets.Value(value: name, count: count)
            }
        }
        let rest = data.number("next")
        guard rest.map({ $0 < query.before ?? .max }) ?? true else { throw Self.endless }
        var facets = Facets(
            values: values, next: rest,
            progress: SearchProgress(done: progress.number("done") ?? 0, total: progress.number("total") ?? 0))
        for field in query.fields {
            guard let cut = data.members("cut")?.members(field.rawValue) else { continue }
            facets.cut[field] = Facets.Cut(
                values: cut.number("values") ?? 0, records: cut.number("records") ?? 0, most: cut.number("most") ?? 0)
        }
        return facets
    }

    func forEachTag(_ body: (TagSummary) -> Void) async throws {
        var next: String?
        var seen: Set<String> = []
        repeat {
            let data = try await client.data("/api/v1/tags", .init(parameters: next.map { [("after", $0)] } ?? []))
            for case .object(let tag) in data.elements("tags") ?? [] {
                for case .object(let version) in tag.elements("versions") ?? [] {
                    guard let name = tag.text("tag"), let kind = tag.text("kind"),
                        let count = version.number("count"), let first = tag.number("first_time"),
                        let last = tag.number("last_time")
                    else { throw Self.unreadable }
                    body(
                        TagSummary(
                            tag: name, kind: kind, version: version.text("version"), count: count, firstTime: first,
                            lastTime: last))
                }
            }
            next = data.text("next")
            if let next, !seen.insert(next).inserted { throw Self.endless }
        } while next != nil
    }

    /// Whether a page goes on from where it was asked for: records in their order and within the bounds, and a `next` that is
    /// behind them. A collector that sends the same page again would be read for ever.
    private static func advance(_ ids: [Int64], _ next: Int64?, in query: RecordQuery) -> Bool {
        let isOldestFirst = query.order == .oldestFirst
        let isAhead = { (next: Int64, last: Int64) in isOldestFirst ? next > last : next < last }
        let (start, end) = isOldestFirst ? (query.after, query.before) : (query.before, query.after)
        let places = (start.map { [$0] } ?? []) + ids
        guard zip(places, places.dropFirst()).allSatisfy({ isAhead($1, $0) }),
            ids.allSatisfy({ id in end.map { isAhead($0, id) } ?? true })
        else { return false }
        guard let next, let last = places.last else { return true }
        return isAhead(next, last) || next == ids.last
    }

    func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        var body = JSONBuilder()
        body.object {
            $0.key("sql")
            $0.string(sql)
        }
        var call = CollectorClient.Call(method: "POST", body: body.bytes)
        call.parameters =
            disclosure + [
                (WireForm.parameter, WireForm.exact.rawValue), ("limit", String(limits.rows)),
            ]
        // The collector bounds the statement; beyond that nobody answers.
        call.patience = .seconds(630)
        let data = try await client.data("/api/v1/sql", call)
        guard let columns = data.elements("columns"), let rows = data.elements("rows"),
            case .bool(let isTruncated)? = data["truncated"]
        else { throw Self.unreadable }
        return QueryResult(
            columns: try columns.map { if case .string(let name) = $0 { name } else { throw Self.unreadable } },
            rows: try rows.map { row in
                guard case .array(let cells) = row else { throw Self.unreadable }
                return try cells.map {
                    guard let cell = QueryResult.Cell(exact: $0) else { throw Self.unreadable }
                    return cell
                }
            }, isTruncated: isTruncated)
    }

    func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        var total = AppendResult(stored: 0, duplicates: 0)
        var lines: [UInt8] = []
        func send() async throws(AppendError) {
            guard !lines.isEmpty else { return }
            var call = CollectorClient.Call(method: "POST", body: lines, type: "application/x-ndjson")
            // Without a stream nobody knows what came before. Records tell their owners' streams themselves.
            call.isRepeatable = batch.origin != nil
            call.parameters = batch.origin?.file.map { [("stream", $0)] } ?? []
            let data = try await answer("/api/v1/import", call)
            guard let stored = data.number("stored"), let known = data.number("duplicates") else {
                throw .failed(Self.unreadable)
            }
            total.stored += Int(stored)
            total.duplicates += Int(known)
            lines.removeAll(keepingCapacity: true)
        }
        for row in batch.rows {
            lines += Array(RecordLine.text(row).utf8) + [0x0A]
            if lines.count >= Self.importBytes { try await send() }
        }
        try await send()
        return total
    }

    /// What the collector answers to records.
    private func answer(_ path: String, _ call: CollectorClient.Call) async throws(AppendError) -> Attributes {
        do {
            return try await client.data(path, call)
        } catch {
            throw .failed(error as? StoreError ?? StoreError(.unavailable, "\(error)"))
        }
    }

    func erase(_ filter: RecordFilter) async throws -> Int64 {
        var call = CollectorClient.Call(method: "DELETE", parameters: try filter.parameters())
        // It would count what is left.
        call.isRepeatable = false
        call.patience = .seconds(600)
        let data = try await client.data("/api/v1/records", call)
        guard let erased = data.number("erased") else { throw Self.unreadable }
        if case .string(let text)? = data["remains"] { remains.text.withLock { $0 = text } }
        return erased
    }

    func erasureRemains() async -> String? { remains.text.withLock { $0 } }

    private static let endless = StoreError(
        .storage, "The collector's response does not go on from the one before, so it would never end.")
    private static let unreadable = StoreError(
        .storage,
        "The collector's response has a form that this version does not know. Use the collector's version.")
}

/// What an erasure has left at the collector.
private final class Remains: Sendable {
    let text = Mutex<String?>(nil)
}
