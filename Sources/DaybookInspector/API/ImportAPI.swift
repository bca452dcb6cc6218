import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTools

struct ImportAPI: Sendable {
    /// Most bytes of an import; about 20,000 records.
    static let importLimit = 16_777_216

    let store: any EventStore
    let notices: LiveNotices
    /// Nanoseconds since 1970, for lines without a time.
    let now: @Sendable () -> Int64

    var routes: [HTTPRoute] {
        [
            HTTPRoute(Endpoints.recordImport, bodyLimit: Self.importLimit, work: .long) {
                try await take($0.body, $0.query)
            }
        ]
    }

    /// Imports NDJSON; an invalid line rejects all of it. A record is a duplicate if its owner's stream delivered it.
    /// With a stream for the file, so is one whose number in it was imported before.
    private func take(_ body: [UInt8], _ parameters: Parameters) async throws -> ImportAnswer {
        let file = try Self.stream(parameters)
        var gathering = ImportBatches()
        var batches: [RecordBatch] = []
        var unread = Unread()
        for (index, line) in body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if RecordLine.isBlank(line) { continue }
            do throws(RecordLineError) {
                let line = Array(line)
                let object = try RecordLine.object(line, unread: &unread)
                let defaults = RecordLine.Defaults(time: now(), position: index)
                let row = try RecordLine.record(object, of: line, defaults: defaults, unread: &unread).row
                batches += gathering.add(row, file: file, position: row.sequence.flatMap { Int(exactly: $0) })
            } catch {
                throw Problem(.badRequest, "Line \(index + 1): \(error.message)")
            }
        }
        batches += gathering.rest
        guard !batches.isEmpty else {
            throw Problem(.badRequest, "There is no record: the body is NDJSON, one record per line.")
        }
        let result = try await stored(batches)
        notices.notify(head: try await store.head())
        return ImportAnswer(result, unread: unread)
    }

    /// Concurrently, so that batches share commits.
    private func stored(_ batches: [RecordBatch]) async throws -> AppendResult {
        try await withThrowingTaskGroup(of: AppendResult.self) { group in
            for batch in batches { group.addTask { try await store.append(batch) } }
            return try await group.reduce(into: AppendResult(stored: 0, duplicates: 0)) { total, part in
                total.stored += part.stored
                total.duplicates += part.duplicates
            }
        }
    }

    private static func stream(_ parameters: Parameters) throws(Problem) -> String? {
        for (_, value) in parameters {
            guard value.utf8.count == 48, value.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
            else { throw Problem(.badRequest, "stream is 48 lowercase hexadecimal digits, not “\(value)”.") }
        }
        return parameters.last?.value
    }
}
