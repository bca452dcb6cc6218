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
    var machine: DeliveryMachine
    private(set) var ledger = Ledger()
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
    private let openedAt: UInt64
    /// The launch that the last record came from, and its name: written once, not for each record.
    private var stream: JournalStream?
    private var streamText = ""

    /// - Parameters:
    ///   - cursor: Everything up to here was done with in earlier launches.
    ///   - openedAt: The last sequence of earlier launches.
    init(
        index: Int, output: any BatchOutput, limits: BatchLimits, backoff: Backoff, cursor: UInt64, openedAt: UInt64
    ) {
        self.index = index
        self.output = output
        self.openedAt = openedAt
        machine = DeliveryMachine(limits: limits, backoff: backoff)
        settled = cursor
        collected = cursor
    }

    var id: String { output.id }

    /// The batch to send.
    var front: Batch? { queue.first }

    /// Whether another record can be taken into memory now.
    var hasRoom: Bool { queue.count < Self.maximumQueue || (isLastOpen && openBytes < Self.backlogBytes) }

    /// Whether the last batch is neither under way nor sent before.
    private var isLastOpen: Bool { queue.count > max(resends, machine.isSending ? 1 : 0) }

    /// Takes the next record of the journal into the last batch, or opens one.
    func collect(_ frame: FrameView, context: ContextBytes, now: UInt64) {
        if frame.stream != stream {
            stream = frame.stream
            streamText = frame.stream.description
        }
        let stream = streamText
        let fits =
            isLastOpen && openBytes < Self.backlogBytes
            && queue.last.map { $0.stream == stream && $0.contexts.last?.resource == context.resource } == true
        if !fits {
            seen.append(now)
            queue.append(Batch(output: id, stream: stream, after: queue.last?.through ?? settled))
            openBytes = 0
        }
        let last = queue.count - 1
        if queue[last].contexts.last != context { queue[last].contexts.append(context) }
        let start = queue[last].payload.count
        queue[last].payload.append(contentsOf: frame.payload)
        queue[last].items.append(
            Batch.Item(
                sequence: frame.sequence, isSpan: frame.flags.contains(.spanEnd),
                range: start..<start + frame.payload.count, context: queue[last].contexts.count - 1))
        queue[last].through = frame.sequence
        openBytes += frame.payload.count + context.attributes.count
        collected = frame.sequence
        ledger.accepted += 1
        if frame.sequence <= openedAt { ledger.recovered += 1 }
    }

    /// Notes that the journal has been read up to `sequence`; what lies between is not for this output.
    func skip(through sequence: UInt64) {
        collected = max(collected, sequence)
        if queue.isEmpty { settled = collected }
    }

    /// Counts records that the journal had to give up.
    func noteDropped(_ count: UInt64, _ reason: Ledger.DropReason) {
        ledger.accepted += count
        ledger.dropped[reason, default: 0] += count
    }

    /// What to do now.
    func poll(now: UInt64) -> DeliveryMachine.Decision {
        guard let front = queue.first, let since = seen.first else {
            machine.endFlush()
            return .wait(until: nil)
        }
        return machine.poll(
            count: resends > 0 ? front.count : waitingCount, bytes: resends > 0 ? front.bytes : waitingBytes,
            since: since, isResend: resends > 0, now: now)
    }

    private var waitingCount: Int { queue.reduce(0) { $0 + $1.count } }
    private var waitingBytes: Int { queue.reduce(0) { $0 + $1.bytes } }

    /// From which sequence number on a batch may be full; nothing wakes an output that is busy.
    var wakeSequence: UInt64 {
        guard !machine.isSending, resends == 0 else { return .max }
        return collected &+ UInt64(max(1, machine.limits.count - waitingCount))
    }

    /// Takes the answer to the front batch.
    func finish(_ delivery: Delivery, now: UInt64, jitter: Double) {
        guard let front = queue.first else { return }
        switch machine.finish(delivery, count: front.count, now: now, jitter: jitter) {
        case .advance(let rejected):
            ledger.delivered += UInt64(front.count - rejected)
            if rejected > 0 { ledger.dropped[.rejected, default: 0] += UInt64(rejected) }
            settleFront()
        case .dropRefused:
            ledger.dropped[.rejected, default: 0] += 1
            settleFront()
        case .keep:
            resends = max(1, resends)
        case .halve:
            let (first, second) = front.halves
            queue.replaceSubrange(0..<1, with: [first, second])
            seen.insert(seen[0], at: 0)
            resends = max(1, resends) + 1
        }
    }

    private func settleFront() {
        settled = queue.removeFirst().through
        seen.removeFirst()
        resends = max(0, resends - 1)
        guard queue.isEmpty else { return }
        openBytes = 0
        settled = collected
    }

    /// Whether everything up to `sequence` is settled.
    func isSettled(through sequence: UInt64) -> Bool {
        guard let first = queue.first?.items.first else { return settled >= sequence }
        return first.sequence > sequence
    }
}
