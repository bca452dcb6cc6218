import DaybookHTTP
import DaybookStore

/// Pages of records, one record, and how many have come.
struct RecordsAPI: Sendable {
    let store: any EventStore
    let verdicts: Verdicts
    /// Whether phones can be paired with this inspector.
    var pairs = false

    func status() async throws -> HTTPResponse {
        let head = try await store.head()
        let limits = QueryLimits()
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
            }
        }
    }

    /// A page, or what of it was found in the time that one answer may take.
    func page(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        let query = try RecordParameters(parameters, verdicts: verdicts).query
        // The head first: a record that arrives in between is then announced again, never missed.
        let head = try await store.head()
        let slice = try await store.slice(query)
        return Envelope.success {
            $0.object {
                $0.key("head")
                $0.integer(head)
                $0.key("records")
                $0.array(of: slice.records) { $0.record($1, violations: verdicts.violations($1.row)) }
                $0.key("partial")
                $0.bool(slice.isPartial)
                $0.remainder(next: slice.next, slice.progress)
            }
        }
    }

    func count(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        var query = try RecordParameters(parameters, verdicts: verdicts).query
        query.limit = 1_000
        query.order = .oldestFirst
        let head = try await store.head()
        let slice = try await store.slice(query)
        return Envelope.success {
            $0.object {
                $0.key("head")
                $0.integer(head)
                $0.key("count")
                $0.integer(Int64(slice.records.count))
                $0.key("more")
                $0.bool(slice.records.count == 1_000 || slice.isPartial)
            }
        }
    }

    func record(_ id: Int64) async throws -> HTTPResponse {
        let record = try await stored(id)
        let isUndefined = verdicts.isUndefined(record.row)
        return Envelope.success {
            $0.object {
                $0.key("record")
                $0.record(record, violations: verdicts.violations(record.row))
                $0.key("undefined")
                $0.bool(isUndefined)
                $0.key("nearest")
                $0.string(isUndefined ? verdicts.nearest(to: record.row.tag) : nil)
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

extension JSONWriter {
    /// `next` and `progress` of an answer that may be a part.
    mutating func remainder(next: Int64?, _ progress: DaybookStore.Progress) {
        key("next")
        if let next { integer(next) } else { null() }
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
