import DaybookDefinitions
import DaybookHTTP
import DaybookStore

/// Pages of records, one record, and how many have come.
struct RecordsAPI: Sendable {
    let store: any EventStore
    let definitions: Definitions
    let nearest: NearestNames

    init(store: any EventStore, definitions: Definitions) {
        self.store = store
        self.definitions = definitions
        nearest = NearestNames(definitions)
    }

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
            }
        }
    }

    func page(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        let query = try RecordParameters(parameters).query
        // The head first: a record that arrives in between is then announced again, never missed.
        let head = try await store.head()
        let records = try await store.page(query)
        return Envelope.success {
            $0.object {
                $0.key("head")
                $0.integer(head)
                $0.key("records")
                $0.array(of: records) { $0.record($1) }
            }
        }
    }

    func count(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        var query = try RecordParameters(parameters).query
        query.limit = 1_000
        query.order = .oldestFirst
        let head = try await store.head()
        let count = try await store.page(query).count
        return Envelope.success {
            $0.object {
                $0.key("head")
                $0.integer(head)
                $0.key("count")
                $0.integer(Int64(count))
                $0.key("more")
                $0.bool(count == 1_000)
            }
        }
    }

    func record(_ id: Int64) async throws -> HTTPResponse {
        guard id > 0, id < Int64.max else { throw Problem(.notFound, "No record has the number \(id).") }
        var query = RecordQuery()
        query.after = id - 1
        query.before = id + 1
        query.limit = 1
        guard let record = try await store.page(query).first else {
            throw Problem(.notFound, "No record has the number \(id); it was deleted, or has not arrived.")
        }
        let isUndefined = record.row.kind == .event && definitions.event(tagged: record.row.tag) == nil
        return Envelope.success {
            $0.object {
                $0.key("record")
                $0.record(record)
                $0.key("undefined")
                $0.bool(isUndefined)
                $0.key("nearest")
                $0.string(isUndefined ? nearest.nearest(to: record.row.tag) : nil)
            }
        }
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
