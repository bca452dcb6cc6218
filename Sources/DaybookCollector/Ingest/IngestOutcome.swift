import DaybookStore

/// What became of a request's records.
struct IngestOutcome {
    var stored = 0
    var duplicates = 0
    /// Records that no store can keep; they must not be sent again.
    var rejected = 0
    /// Why they were rejected.
    var reason = ""

    /// Stores the batches of one request; they share commits.
    ///
    /// Batches of a stream go first and together: where one fails, those that were stored are known as duplicates when
    /// the request comes again. Records without a stream are not, so they go last, when nothing else can fail.
    /// - Throws: what the store says, where the records may not be stored and should be sent again.
    static func storing(_ batches: [RecordBatch], in store: any EventStore) async throws -> IngestOutcome {
        var outcome = IngestOutcome()
        let streams = batches.filter { $0.origin != nil }
        if streams.count == 1 {
            outcome.add(try await storing(streams[0], in: store))
        } else {
            try await withThrowingTaskGroup(of: IngestOutcome.self) { group in
                for batch in streams { group.addTask { try await storing(batch, in: store) } }
                for try await part in group { outcome.add(part) }
            }
        }
        for batch in batches where batch.origin == nil { outcome.add(try await storing(batch, in: store)) }
        return outcome
    }

    private static func storing(_ batch: RecordBatch, in store: any EventStore) async throws -> IngestOutcome {
        do {
            let result = try await store.append(batch)
            return IngestOutcome(stored: result.stored, duplicates: result.duplicates)
        } catch let error as StoreError where error.code == .badStatement {
            // The batch itself cannot be kept, however often it is sent.
            return IngestOutcome(rejected: batch.rows.count, reason: error.message)
        }
    }

    private mutating func add(_ part: IngestOutcome) {
        stored += part.stored
        duplicates += part.duplicates
        rejected += part.rejected
        if reason.isEmpty { reason = part.reason }
    }
}
