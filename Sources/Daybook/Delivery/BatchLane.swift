import DaybookJournal

/// One batch output with the batches that are on their way to it.
///
/// Confined to the drain thread; a class, so that its buffers are never copied by accident.
final class BatchLane {
    /// A backlog is sent in batches of about this many bytes.
    static let backlogBytes = 1 << 20
    /// Batches held in memory at once; what else is stored stays in the journal.
    private static let maximumQueue = 2

    let index: Int
    let output: any BatchOutput
    let transform: RouteTransform?
    var machine: DeliveryMachine
    private(set) var account: LaneAccount
    /// Where `send` runs: a thread of its own, so that one that blocks takes none from other outputs or from the app.
    let executor: SendExecutor
    /// Everything up to here is delivered, dropped, or not for this output: where the cursor may stand.
    private(set) var settled: UInt64
    /// Everything up to here is in the queue, or settled.
    private(set) var collected: UInt64
    /// Batches in order; the first is under way or next.
    private var queue: [Batch] = []
    /// When the first record of each batch was seen.
    private var seen: [UInt64] = []
    /// How many batches at the front of the queue have been sent before, or are parts of one that has.
    private var resends = 0
    /// Bytes in the last batch of the queue, with the context each record will carry.
    private var openBytes = 0
    /// Up to here a flush wants everything settled.
    private var flushThrough: UInt64 = 0
    /// The launch that the last record was logged in, and its name: written once, not for each record.
    private var stream: JournalStream?
    private var streamText = ""
    /// How far another writer's stream has come: what lies between its records is not for this output.
    private var foreign: FrameOrigin?

    /// - Parameters:
    ///   - cursor: Everything up to here was done with in earlier launches.
    ///   - openedAt: The last sequence of earlier launches.
    init(
        index: Int, output: any BatchOutput, limits: BatchLimits, backoff: Backoff, cursor: UInt64,
        transform: RouteTransform? = nil, openedAt: UInt64
    ) {
        self.index = index
        self.output = output
        self.transform = transform
        account = LaneAccount(openedAt: openedAt)
        executor = SendExecutor(label: "daybook.send.\(output.id)", scope: .output(index))
        machine = DeliveryMachine(limits: limits, backoff: backoff)
        settled = cursor
        collected = cursor
    }

    var id: String { output.id }

    /// The batch to send.
    var front: Batch? { queue.first }

    /// Whether the last batch is neither under way nor sent before.
    private var isLastOpen: Bool { queue.count > max(resends, machine.isSending ? 1 : 0) }

    /// Takes the next record of the journal into the last batch, or opens one. `false` if there is no room for it now.
    func collect(_ frame: FrameView, context: ContextBytes, now: UInt64) -> Bool {
        let name = frame.name
        if name.stream != stream {
            stream = name.stream
            streamText = name.stream.description
        }
        let stream = streamText
        // A dead writer's records may come twice, if a death interrupted their adoption: the numbers then begin again.
        let fits =
            isLastOpen && openBytes < Self.backlogBytes
            && queue.last.map {
                $0.stream == stream && $0.through < name.sequence && $0.contexts.last?.resource == context.resource
            } == true
        if !fits {
            // Each launch needs batches of its own; a hundred short launches must not all be held in memory.
            guard queue.count < Self.maximumQueue else { return false }
            seen.append(now)
            queue.append(Batch(output: id, stream: stream, after: frame.origin.map(after) ?? lastPosition))
            openBytes = 0
        }
        foreign = frame.origin
        openBytes += queue[queue.count - 1].append(frame, context: context)
        collected = frame.sequence
        account.collect(frame.sequence)
        return true
    }

    /// Where the journal's records end that are in batches.
    private var lastPosition: UInt64 { queue.last?.position ?? settled }

    /// Behind which number of another writer's stream a batch begins. What that writer had sent before, nobody sends
    /// again: it stays for the receiver to say.
    private func after(_ origin: FrameOrigin) -> UInt64 {
        guard let foreign, foreign.stream == origin.stream, foreign.sequence < origin.sequence else {
            return origin.sequence - 1
        }
        return foreign.sequence
    }

    /// Whether a read of the journal can find room. It may still find none, for a record of another launch.
    var mayHaveRoom: Bool { queue.count < Self.maximumQueue || (isLastOpen && openBytes < Self.backlogBytes) }

    /// Notes that the journal has been read up to `sequence`; what lies between is not for this output.
    func skip(through sequence: UInt64) {
        collected = max(collected, sequence)
        if queue.isEmpty { settled = collected }
    }

    /// Takes over what the journal had to drop.
    func note(drops: [DropReason: UInt64], losses: [JournalLoss], cursor: UInt64) {
        account.note(drops: drops, losses: losses, cursor: cursor)
    }

    /// Delivers everything up to `sequence` without waiting for full batches.
    func flush(through sequence: UInt64, now: UInt64) {
        flushThrough = max(flushThrough, sequence)
        machine.flush(now: now)
    }

    /// The end: what only memory holds is lost with it.
    func abandon() { account.abandon(queue.lazy.flatMap { $0.items.map(\.position) }) }

    /// What to do now.
    func poll(now: UInt64) -> DeliveryMachine.Decision {
        // A flush ends with what there was when it was asked for: what comes later waits for full batches again.
        if isSettled(through: flushThrough) { machine.endFlush() }
        guard let front = queue.first, let since = seen.first else { return .wait(until: nil) }
        // A batch that another one follows cannot grow any more: it waits for nothing.
        let isComplete = resends > 0 || queue.count > 1
        return machine.poll(
            count: front.count, bytes: front.bytes, since: since, isComplete: isComplete, now: now)
    }

    /// From which sequence number on a batch may be full; nothing wakes an output that is not free to send.
    var wakeSequence: UInt64 {
        guard isWakeable else { return .max }
        return collected &+ UInt64(max(1, machine.limits.count - (queue.first?.count ?? 0)))
    }

    /// So many more bytes in the journal, and a batch may be full.
    var wakeBytes: UInt64 {
        guard isWakeable else { return .max }
        return UInt64(max(1, machine.limits.bytes - (queue.first?.bytes ?? 0)))
    }

    private var isWakeable: Bool { machine.isFree && resends == 0 }

    /// Takes the answer to the front batch. What followed from it, or `nil` if there is none.
    /// - Parameters:
    ///   - dropped: The places in the journal of the records that were not sent, because the route's transform dropped
    ///     them.
    ///   - quarantine: Keeps records that were refused for good, before the batch is settled.
    @discardableResult
    func finish(
        _ delivery: Delivery, transformed dropped: [UInt64] = [], now: UInt64, jitter: Double,
        quarantine: (_ items: [Batch.Item], _ batch: Batch, _ reason: String) -> Void
    ) -> DeliveryMachine.Outcome? {
        guard let front = queue.first else { return nil }
        let transformed = dropped.count
        let sent = front.count - transformed
        // A batch that the transform thinned out to one record cannot be halved usefully: its parts are the same again.
        let outcome = machine.finish(
            delivery, count: max(1, sent), isBacklog: front.count > 1 && front.bytes > machine.limits.bytes, now: now,
            jitter: jitter)
        switch outcome {
        case .advance(let rejected):
            let rejected = min(rejected, sent)
            var named: [Batch.Item] = []
            if case .reject(let places, let reason) = delivery {
                let items = sentItems(of: front, without: dropped)
                named = Set(places).sorted().filter(items.indices.contains).map { items[$0] }
                if !named.isEmpty { quarantine(named, front, reason) }
            }
            account.deliver(sent - named.count - rejected)
            account.drop(rejected, .rejected)
            account.drop(transformed, .transformed)
            settleFront()
        case .setAside:
            if case .refused(let reason) = delivery {
                quarantine(sentItems(of: front, without: dropped), front, reason)
            }
            account.drop(transformed, .transformed)
            settleFront()
        case .keep:
            resends = max(1, resends)
        case .halve:
            let (first, second) = front.halves
            queue.replaceSubrange(0..<1, with: [first, second])
            seen.insert(seen[0], at: 0)
            resends = max(1, resends) + 1
        }
        return outcome
    }

    private func sentItems(of batch: Batch, without dropped: [UInt64]) -> [Batch.Item] {
        let dropped = Set(dropped)
        return batch.items.filter { !dropped.contains($0.position) }
    }

    private func settleFront() {
        settled = queue.removeFirst().position ?? settled
        seen.removeFirst()
        resends = max(0, resends - 1)
        guard queue.isEmpty else { return }
        openBytes = 0
        settled = collected
    }

    /// Whether everything up to `sequence` is settled.
    func isSettled(through sequence: UInt64) -> Bool {
        guard let first = queue.first?.items.first else { return settled >= sequence }
        return first.position > sequence
    }
}

/// Keeps the ledger of one output: each record is accepted once, whether it came from the journal or was lost in it.
struct LaneAccount {
    private(set) var ledger = Ledger()
    private let openedAt: UInt64
    private var collected = CollectedSequences()
    /// The journal's counts that are in the ledger already.
    private var known: [DropReason: UInt64] = [:]
    /// Sequences that the journal has given up while copies were in memory: nothing but memory has those.
    private var orphans: [(after: UInt64, through: UInt64, reason: DropReason)] = []

    /// - Parameter openedAt: The last sequence of earlier launches.
    init(openedAt: UInt64) { self.openedAt = openedAt }

    /// A record was taken out of the journal.
    mutating func collect(_ sequence: UInt64) {
        collected.append(sequence)
        ledger.accepted += 1
        if sequence <= openedAt { ledger.recovered += 1 }
    }

    /// Collected records arrived.
    mutating func deliver(_ count: Int) { ledger.delivered += UInt64(count) }

    /// Collected records were given up.
    mutating func drop(_ count: Int, _ reason: Ledger.DropReason) {
        if count > 0 { ledger.dropped[reason, default: 0] += UInt64(count) }
    }

    /// Takes over what the journal had to drop.
    /// - Parameters:
    ///   - drops: The journal's counts for this output.
    ///   - losses: What went with segments since the last time, for this output.
    ///   - cursor: The journal's cursor before the two were asked for.
    mutating func note(drops: [DropReason: UInt64], losses: [JournalLoss], cursor: UInt64) {
        var kept: [DropReason: UInt64] = [:]
        for loss in losses {
            let copies = collected.count(after: loss.after, through: loss.through)
            kept[loss.reason, default: 0] += copies
            if copies > 0 { orphans.append((loss.after, loss.through, loss.reason)) }
            if loss.through <= openedAt { ledger.recovered += loss.count - min(loss.count, copies) }
        }
        for (reason, count) in drops {
            let new = count - known[reason, default: 0]
            known[reason] = count
            let lost = new - min(new, kept[reason, default: 0])
            guard lost > 0 else { continue }
            ledger.accepted += lost
            ledger.dropped[Ledger.DropReason(reason), default: 0] += lost
        }
        collected.forget(through: cursor)
        orphans.removeAll { $0.through <= cursor }
    }

    /// Counts those of the records in memory as lost that the journal no longer has: memory is about to go.
    mutating func abandon(_ pending: some Sequence<UInt64>) {
        guard !orphans.isEmpty else { return }
        for sequence in pending {
            guard let orphan = orphans.first(where: { sequence > $0.after && sequence <= $0.through }) else { continue }
            drop(1, Ledger.DropReason(orphan.reason))
        }
    }
}

/// The sequence numbers of the records that were lately taken out of the journal, in order.
///
/// They tell a record that is lost from one that only the journal has lost, while a copy is on its way.
struct CollectedSequences {
    private var sequences: [UInt64] = []

    /// Adds one; higher than all before.
    mutating func append(_ sequence: UInt64) { sequences.append(sequence) }

    /// How many lie after the one and up to the other.
    func count(after: UInt64, through: UInt64) -> UInt64 {
        guard through > after else { return 0 }
        return UInt64(index(after: through) - index(after: after))
    }

    /// Forgets those that the journal's cursor has passed.
    mutating func forget(through sequence: UInt64) {
        let count = index(after: sequence)
        if count > 0 { sequences.removeFirst(count) }
    }

    /// The place of the first that is higher.
    private func index(after sequence: UInt64) -> Int {
        var (low, high) = (0, sequences.count)
        while low < high {
            let middle = (low + high) / 2
            if sequences[middle] <= sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
