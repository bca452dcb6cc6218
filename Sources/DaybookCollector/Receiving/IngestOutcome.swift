import DaybookBase
import DaybookStore
import DaybookTools

/// The outcome for a request's records.
///
/// The sender discards what is stored or rejected. So records are rejected only for a ``BatchFlaw`` or by a team's own
/// request rules; any other store error is thrown and answered with 503.
struct IngestOutcome {
    private(set) var stored = 0
    private(set) var duplicates = 0
    /// Records that no store can keep, not to be resent.
    private(set) var rejected = 0
    private(set) var reason = ""
    private(set) var unread = Unread()
    /// Entries that no rule matches, by what the rules look at.
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

    /// Details for the sender; may be empty.
    var message: String {
        var texts = reason.isEmpty ? [] : [reason]
        if !unread.isEmpty { texts.append("not read: \(RecordMembers.text(of: unread))") }
        if !skipped.isEmpty { texts.append("no rule takes: \(skipped.text())") }
        return texts.joined(separator: "; ")
    }

    /// Adds what is known before the commit.
    /// - Parameter repeated: rows stored before.
    mutating func add(_ decoded: DecodedBody, _ admission: SenderRights.Admission, repeated: Int) {
        duplicates += repeated
        rejected += decoded.refused.total
        if reason.isEmpty { reason = decoded.refused.text }
        unread.add(decoded.unread)
        unread.add(admission.changes)
        skipped.add(decoded.skipped)
    }

    /// Stores a request's batches; they share commits.
    ///
    /// Batches with a stream are committed first: if one fails, the stored ones are duplicates when resent. Records
    /// without a stream are not, so they come last, when nothing else can fail.
    /// - Throws: ``AppendError/failed(_:)`` if the records should be resent, or a rejection for a batch's size.
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
    /// The number of stored records with implausible times.
    fileprivate func implausibleTimes(of result: AppendResult) -> Int {
        let times = PlausibleTime.range(at: arrived)
        return min(rows.count { !times.contains($0.time) }, result.stored)
    }
}

extension IngestMetrics {
    /// Wraps a store for all writers (ingest, API, own log), so that the health of the last append is known.
    /// - Parameter clock: Default: the system's.
    package func watching(_ store: any EventStore, clock: PipelineClock = .system) -> any EventStore {
        ObservedStore(
            store,
            onCommit: { [self] batch, result in noteStored(implausible: batch.implausibleTimes(of: result)) },
            onFailure: { [self] failure in noteStoreFailure(failure.message, at: clock.monotonic()) })
    }
}
