import DaybookJournal

/// A batch that waits for its output or is on its way to it.
struct PendingBatch {
    fileprivate(set) var batch: Batch
    /// When its first record was seen.
    let since: UInt64
    /// Whether it takes no more records: it has been sent.
    fileprivate(set) var isClosed = false
    /// Its bytes as stored, with the context that each record will carry.
    private var bytes: Int

    fileprivate init(_ batch: Batch, since: UInt64) {
        self.batch = batch
        self.since = since
        bytes = batch.storedBytes
    }

    fileprivate func hasRoom(_ size: BatchSize) -> Bool {
        !isClosed && batch.count < size.count && batch.bytes < size.bytes && bytes < BatchQueue.mostBytes
    }

    /// Whether a record may follow the last one. A dead writer's records may come twice, if a death interrupted their
    /// adoption: the numbers then begin again, and so does a batch.
    fileprivate func takes(
        _ sequence: UInt64, of stream: String, in context: ContextBytes, bytes: Int, _ size: BatchSize
    ) -> Bool {
        hasRoom(size) && batch.bytes + bytes <= size.bytes && batch.stream == stream && batch.through < sequence
            && batch.contexts.last?.resource == context.resource
    }

    /// Leaves so many records, and returns the rest, which may take more.
    fileprivate mutating func cut(after count: Int) -> PendingBatch {
        let (first, rest) = batch.parts(count)
        batch = first
        bytes = first.storedBytes
        return PendingBatch(rest, since: since)
    }

    /// Takes records of the batch that follows, as long as they fit. What is left of it.
    fileprivate mutating func fill(from next: PendingBatch, upTo size: BatchSize) -> PendingBatch? {
        var count = 0
        for item in next.batch.items {
            let context = next.batch.contexts[item.context]
            guard takes(item.sequence, of: next.batch.stream, in: context, bytes: item.range.count, size) else { break }
            bytes += batch.append(item, of: next.batch)
            count += 1
        }
        guard count > 0 else { return next }
        return count == next.batch.count ? nil : PendingBatch(next.batch.parts(count).1, since: next.since)
    }

    fileprivate mutating func append(_ frame: FrameView, context: ContextBytes) {
        bytes += batch.append(frame, context: context)
    }
}

/// The batches of one output, in order: the first is under way or next, the last takes what comes. Pure: it is shown
/// the journal's records in order, and told what became of the first batch.
struct BatchQueue {
    /// A batch takes no more records from about this many bytes on, with the context that each will carry.
    static let mostBytes = 1 << 20
    /// Batches held in memory at once; what else is stored stays in the journal.
    private static let maximumCount = 2

    /// Everything up to here is delivered, dropped, or not for this output.
    private(set) var settled: UInt64
    /// Everything up to here is in a batch, or settled.
    private(set) var collected: UInt64
    /// Where the last batch that the output was given ends. The next one begins there and covers what was skipped since,
    /// which a receiver would take for missing otherwise.
    private(set) var delivered: UInt64
    private let output: String
    private var pending: [PendingBatch] = []
    /// The launch that the last record was logged in, and its name: written once, not for each record.
    private var stream: JournalStream?
    private var streamText = ""
    /// How far another writer's stream has come: what lies between its records is not for this output.
    private var foreign: FrameOrigin?

    /// - Parameters:
    ///   - output: The output's id.
    ///   - cursor: Everything up to here was done with in earlier launches.
    ///   - delivered: Where the last batch of earlier launches ends.
    init(output: String, cursor: UInt64, delivered: UInt64) {
        self.output = output
        settled = cursor
        collected = cursor
        self.delivered = delivered
    }

    // MARK: From the journal

    /// Whether a read of the journal can find room. It may still find none, for a record of another launch.
    func mayHaveRoom(_ size: BatchSize) -> Bool {
        pending.count < Self.maximumCount || pending[pending.count - 1].hasRoom(size)
    }

    /// Takes the next record of the journal into the last batch, or opens one. `false` if there is no room for it now.
    mutating func collect(_ frame: FrameView, context: ContextBytes, upTo size: BatchSize, now: UInt64) -> Bool {
        let name = frame.name
        if name.stream != stream {
            stream = name.stream
            streamText = name.stream.description
        }
        // In place: a copy of the batch would cost each record more than everything else here.
        if pending.isEmpty
            || !pending[pending.count - 1].takes(
                name.sequence, of: streamText, in: context, bytes: frame.payload.count, size)
        {
            // Each launch needs batches of its own; a hundred short launches must not all be held in memory.
            guard pending.count < Self.maximumCount else { return false }
            let after = frame.origin.map(after) ?? pending.last?.batch.position ?? delivered
            pending.append(PendingBatch(Batch(output: output, stream: streamText, after: after), since: now))
        }
        foreign = frame.origin
        pending[pending.count - 1].append(frame, context: context)
        collected = frame.sequence
        return true
    }

    /// Behind which number of another writer's stream a batch begins. What that writer had sent before, nobody sends
    /// again: it stays for the receiver to say.
    private func after(_ origin: FrameOrigin) -> UInt64 {
        guard let foreign, foreign.stream == origin.stream, foreign.sequence < origin.sequence else {
            return origin.sequence - 1
        }
        return foreign.sequence
    }

    /// Notes that the journal has been read up to `sequence`; what lies between is not for this output.
    mutating func skip(through sequence: UInt64) {
        collected = max(collected, sequence)
        if pending.isEmpty { settled = collected }
    }

    // MARK: To the output

    /// The batch that is under way or next.
    var front: PendingBatch? { pending.first }

    /// Whether the first batch cannot grow any more: it was sent before, or another one follows it.
    var isFrontComplete: Bool { pending.count > 1 || pending.first?.isClosed == true }

    /// The first batch is sent as it is.
    mutating func closeFront() { pending[0].isClosed = true }

    /// Fits the first batch to what it may have, at least one record. What is too much goes in front of those that follow; if
    /// it has not been sent, it takes from them what it has room for.
    mutating func fitFront(to size: BatchSize) {
        guard let front = pending.first?.batch else { return }
        let count = front.count(within: size)
        if count < front.count {
            let rest = pending[0].cut(after: count)
            pending.insert(rest, at: 1)
        }
        while pending.count > 1 {
            let next = pending[1]
            if let rest = pending[0].fill(from: next, upTo: size) {
                pending[1] = rest
                break
            }
            pending.remove(at: 1)
        }
    }

    /// The first batch is done with.
    /// - Parameter wasSent: Whether the output was given it. If not, the next one covers it.
    mutating func settleFront(wasSent: Bool = true) {
        let batch = pending.removeFirst().batch
        settled = batch.position ?? settled
        if wasSent {
            delivered = settled
        } else if let next = pending.first?.batch, next.stream == batch.stream {
            pending[0].batch.after = batch.after
        }
        if pending.isEmpty { settled = collected }
    }

    /// Whether everything up to `sequence` is settled.
    func isSettled(through sequence: UInt64) -> Bool {
        guard let first = pending.first?.batch.items.first else { return settled >= sequence }
        return first.position > sequence
    }

    /// The places in the journal of all records in batches, in order.
    var positions: some Sequence<UInt64> { pending.lazy.flatMap { $0.batch.items.map(\.position) } }
}
