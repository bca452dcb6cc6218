import DaybookJournal

/// A batch that waits or is being sent.
struct PendingBatch {
    fileprivate(set) var batch: Batch
    /// When the first record was read.
    let since: UInt64
    /// Whether it was sent and takes no more records.
    fileprivate(set) var isClosed = false
    /// Stored bytes plus the context of each record.
    private var bytes: Int

    fileprivate init(_ batch: Batch, since: UInt64) {
        self.batch = batch
        self.since = since
        bytes = batch.storedBytes
    }

    fileprivate func hasRoom(_ size: BatchSize) -> Bool {
        !isClosed && batch.count < size.count && batch.bytes < size.bytes && bytes < BatchQueue.mostBytes
    }

    /// Whether a record may follow the last one. If adoption of a dead writer's records was interrupted, they may come
    /// twice: their numbers start again, in a new batch.
    fileprivate func takes(
        _ sequence: UInt64, of stream: String, in context: ContextBytes, bytes: Int, _ size: BatchSize
    ) -> Bool {
        hasRoom(size) && batch.bytes + bytes <= size.bytes && batch.stream == stream && batch.through < sequence
            && batch.contexts.last?.resource == context.resource
    }

    /// Keeps `count` records and returns the rest, which may still grow.
    fileprivate mutating func cut(after count: Int) -> PendingBatch {
        let (first, rest) = batch.parts(count)
        batch = first
        bytes = first.storedBytes
        return PendingBatch(rest, since: since)
    }

    /// Takes the records that fit from the next batch, and returns what is left of it.
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

/// An output's batches in order: the first is under way or next, the last one grows. Pure: it is given the journal's
/// records in order, and told the fate of the first batch.
struct BatchQueue {
    /// A batch, with the context of each record, takes no more from about this size on.
    static let mostBytes = 1 << 20
    /// Batches in memory; the rest stays in the journal.
    private static let maximumCount = 2

    /// Everything up to here is delivered, dropped, or not for this output.
    private(set) var settled: UInt64
    /// Everything up to here is in a batch, or settled.
    private(set) var collected: UInt64
    /// Where the last batch given to the output ends. The next one begins there, to cover skipped numbers that the
    /// receiver would otherwise count as missing.
    private(set) var delivered: UInt64
    private let output: String
    private var pending: [PendingBatch] = []
    /// The last record's stream, with its description cached.
    private var stream: JournalStream?
    private var streamText = ""
    /// Progress in another writer's stream; gaps between its records are not for this output.
    private var foreign: FrameOrigin?

    /// - Parameters:
    ///   - output: The output's id.
    ///   - cursor: Everything up to here was settled in earlier launches.
    ///   - delivered: Where the last batch of earlier launches ends.
    init(output: String, cursor: UInt64, delivered: UInt64) {
        self.output = output
        settled = cursor
        collected = cursor
        self.delivered = delivered
    }

    // MARK: From the journal

    /// Whether reading the journal may find room. A record of another launch may still not fit.
    func mayHaveRoom(_ size: BatchSize) -> Bool {
        pending.count < Self.maximumCount || pending[pending.count - 1].hasRoom(size)
    }

    /// Adds the next record to the last batch or to a new one. `false` if there is no room now.
    mutating func collect(_ frame: FrameView, context: ContextBytes, upTo size: BatchSize, now: UInt64) -> Bool {
        let name = frame.name
        if name.stream != stream {
            stream = name.stream
            streamText = name.stream.description
        }
        // In place: copying the batch would cost more than everything else here.
        if pending.isEmpty
            || !pending[pending.count - 1].takes(
                name.sequence, of: streamText, in: context, bytes: frame.payload.count, size)
        {
            // Each launch needs its own batches; a hundred short launches must not all be in memory.
            guard pending.count < Self.maximumCount else { return false }
            let after = frame.origin.map(after) ?? pending.last?.batch.position ?? delivered
            pending.append(PendingBatch(Batch(output: output, stream: streamText, after: after), since: now))
        }
        foreign = frame.origin
        pending[pending.count - 1].append(frame, context: context)
        collected = frame.sequence
        return true
    }

    /// The number before a batch of another writer's stream. Nobody sends again what that writer had sent: its receiver
    /// accounts for that.
    private func after(_ origin: FrameOrigin) -> UInt64 {
        guard let foreign, foreign.stream == origin.stream, foreign.sequence < origin.sequence else {
            return origin.sequence - 1
        }
        return foreign.sequence
    }

    /// The journal has been read up to `sequence`; the rest is not for this output.
    mutating func skip(through sequence: UInt64) {
        collected = max(collected, sequence)
        if pending.isEmpty { settled = collected }
    }

    // MARK: To the output

    var front: PendingBatch? { pending.first }

    /// Whether the first batch cannot grow: it was sent, or another follows.
    var isFrontComplete: Bool { pending.count > 1 || pending.first?.isClosed == true }

    mutating func closeFront() { pending[0].isClosed = true }

    /// Fits the first batch to a size, keeping at least one record. The excess goes to the front of the next ones; an
    /// unsent batch fills up from them.
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

    /// Removes the settled first batch.
    /// - Parameter wasSent: Whether the output got it. If not, the next one covers its numbers.
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

    func isSettled(through sequence: UInt64) -> Bool {
        guard let first = pending.first?.batch.items.first else { return settled >= sequence }
        return first.position > sequence
    }

    var positions: some Sequence<UInt64> { pending.lazy.flatMap { $0.batch.items.map(\.position) } }
}
