import DaybookAPI
import DaybookBase
import DaybookInspector
import DaybookStore
import DaybookTools

/// A remote collector's records, masked by the collector; `showsPrivate` requests everything, which the collector logs.
/// Thread-safe.
struct CollectorRecords: RecordAccess {
    /// The most bytes per import request.
    private static let importBytes = 4 << 20

    let client: CollectorClient
    var showsPrivate = false
    /// From the last erasure.
    private let remains = Remains()

    private var disclosure: Parameters { showsPrivate ? [("private", "show")] : [] }

    func slice(_ query: RecordQuery) async throws -> RecordSlice {
        let parameters =
            try query.parameters() + disclosure + [(WireForm.parameter, WireForm.stored.rawValue)]
        let answer = try await client.ask(Endpoints.storedRecords, .init(parameters: parameters))
        var next: Int64?
        if case .arrival(let number)? = answer.next { next = number }
        guard Self.advance(answer.records.map(\.id), next, in: query) else { throw Self.endless }
        return RecordSlice(
            records: answer.records, next: next, isPartial: answer.isPartial, progress: answer.progress)
    }

    func head() async throws -> Int64 {
        try await client.ask(Endpoints.status).head
    }

    /// Masked like the collector's records.
    func facets(_ query: FacetQuery) async throws -> Facets {
        let parameters = try query.parameters() + disclosure
        let facets = try await client.ask(Endpoints.facets, .init(parameters: parameters)).facets
        guard facets.next.map({ $0 < query.before ?? .max }) ?? true else { throw Self.endless }
        return facets
    }

    func forEachTag(_ body: (TagSummary) -> Void) async throws {
        var next: String?
        var seen: Set<String> = []
        repeat {
            let page = try await client.ask(Endpoints.tags, .init(parameters: next.map { [("after", $0)] } ?? []))
            page.tags.flatMap(\.summaries).forEach(body)
            next = page.next
            if let next, !seen.insert(next).inserted { throw Self.endless }
        } while next != nil
    }

    /// Whether a page makes progress: records in order and within bounds, and a `next` after them. A collector that
    /// repeats a page would otherwise be read for ever.
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
        var call = APICall(body: SQLAnswer.body(sql))
        call.parameters =
            disclosure + [(WireForm.parameter, WireForm.exact.rawValue), ("limit", String(limits.rows))]
        // Longer than the collector's own limit for statements.
        call.patience = .seconds(630)
        return try await client.ask(Endpoints.exactSQL, call).result
    }

    func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        var total = AppendResult(stored: 0, duplicates: 0)
        var lines: [UInt8] = []
        func send() async throws(AppendError) {
            guard !lines.isEmpty else { return }
            var call = APICall(body: lines, type: "application/x-ndjson")
            // Without a stream, a retry could store records twice. Exported records name their owners' streams.
            call.isRepeatable = batch.origin != nil
            call.parameters = batch.origin?.file.map { [("stream", $0)] } ?? []
            let result = try await imported(call)
            total.stored += result.stored
            total.duplicates += result.duplicates
            lines.removeAll(keepingCapacity: true)
        }
        for row in batch.rows {
            lines += Array(RecordLine.text(row).utf8) + [0x0A]
            if lines.count >= Self.importBytes { try await send() }
        }
        try await send()
        return total
    }

    private func imported(_ call: APICall) async throws(AppendError) -> AppendResult {
        do {
            return try await client.ask(Endpoints.recordImport, call).result
        } catch {
            throw .failed(error as? StoreError ?? StoreError(.unavailable, "\(error)"))
        }
    }

    func erase(_ filter: RecordFilter) async throws -> Int64 {
        var call = APICall(parameters: try filter.parameters())
        // A retry would count only what is left.
        call.isRepeatable = false
        call.patience = .seconds(600)
        let answer = try await client.ask(Endpoints.recordErasure, call)
        if let text = answer.remains { remains.text.withLock { $0 = text } }
        return answer.erased
    }

    func erasureRemains() async -> String? { remains.text.withLock { $0 } }

    private static let endless = StoreError(
        .storage, "The collector's response does not go on from the one before, so it would never end.")
}

/// Remains that the collector reported after an erasure.
private final class Remains: Sendable {
    let text = Mutex<String?>(nil)
}
