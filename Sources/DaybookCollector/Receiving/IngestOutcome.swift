import DaybookBase
import DaybookStore
import DaybookTools

/// What became of a request's records.
///
/// Its sender throws away what is stored or rejected. So records are rejected for a ``BatchFlaw`` alone, or by a team's own
/// rules for requests; whatever else a store says is thrown, and the request is answered with 503.
struct IngestOutcome {
    private(set) var stored = 0
    private(set) var duplicates = 0
    /// Records that no store can keep; they must not be sent again.
    private(set) var rejected = 0
    /// Why they were rejected.
    private(set) var reason = ""
    /// Members that no record has.
    private(set) var unread = Unread()
    /// Entries that no rule takes, by what they say where the rules look.
    private(set) var skipped = Unread()

    init() {}

    private init(_ result: AppendResult) {
        stored = result.stored
        duplicates = result.duplicates
    }

    private init(_ flaw: BatchFlaw, of batch: RecordBatch) {
        rejected = batch.rows.count
        reason = flaw.description
    }

    /// What a sender is told beside the numbers; empty where there is nothing to tell.
    var message: String {
        var texts = reason.isEmpty ? [] : [reason]
        if !unread.isEmpty { texts.append("not read: \(RecordMembers.text(of: unread))") }
        if !skipped.isEmpty { texts.append("no rule takes: \(skipped.text())") }
        return texts.joined(separator: "; ")
    }

    /// Adds what was seen before anything was stored.
    /// - Parameter repeated: rows that were stored before.
    mutating func add(_ decoded: DecodedBody, _ admission: SenderRights.Admission, repeated: Int) {
        duplicates += repeated
        rejected += decoded.refused.total
        if reason.isEmpty { reason = decoded.refused.text }
        unread.add(decoded.unread)
        unread.add(admission.changes)
        skipped.add(decoded.skipped)
    }

    /// Stores the batches of one request; they share commits.
    ///
    /// Batches of a stream go first and together: where one fails, those that were stored are known as duplicates when
    /// the request comes again. Records without a stream are not, so they go last, when nothing else can fail.
    /// - Throws: ``AppendError/failed(_:)``, where the records are to be sent again, or a rejection for the size of a batch.
    static func storing(
        _ batches: [AdmittedBatch], in store: IngestStore
    ) async throws(AppendError) -> IngestOutcome {
        var outcome = IngestOutcome()
        let streams = batches.filter { $0.batch.origin != nil }
        if streams.count == 1 {
            outcome.add(try await storing(streams[0], in: store))
        } else {
            let parts = await withTaskGroup(of: Result<IngestOutcome, AppendError>.self) { group in
                for batch in streams {
                    group.addTask { () async -> Result<IngestOutcome, AppendError> in
                        do throws(AppendError) {
                            return .success(try await storing(batch, in: store))
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for part in parts { outcome.add(try part.get()) }
        }
        for batch in batches where batch.batch.origin == nil { outcome.add(try await storing(batch, in: store)) }
        return outcome
    }

    private static func storing(
        _ admitted: AdmittedBatch, in store: IngestStore
    ) async throws(AppendError) -> IngestOutcome {
        do throws(AppendError) {
            return IngestOutcome(try await store.append(admitted))
        } catch {
            guard case .rejected(let flaw) = error, !flaw.isOfSize else { throw error }
            return IngestOutcome(flaw, of: admitted.batch)
        }
    }

    private mutating func add(_ part: IngestOutcome) {
        stored += part.stored
        duplicates += part.duplicates
        rejected += part.rejected
        if reason.isEmpty { reason = part.reason }
    }
}

extension RecordBatch {
    /// How many records were stored whose times are not plausible.
    fileprivate func implausibleTimes(of result: AppendResult) -> Int {
        let times = PlausibleTime.range(at: arrived)
        return min(rows.count { !times.contains($0.time) }, result.stored)
    }
}

extension IngestMetrics {
    /// A store as everybody has it who writes records: the ingest, the API, the collector's own log. Whether the last append
    /// could be stored is known by this alone, whoever made it.
    /// - Parameter clock: Default: the system's.
    package func watching(_ store: any EventStore, clock: PipelineClock = .system) -> any EventStore {
        ObservedStore(
            store,
            onCommit: { [self] batch, result in noteStored(implausible: batch.implausibleTimes(of: result)) },
            onFailure: { [self] failure in noteStoreFailure(failure.message, at: clock.monotonic()) })
    }
}
