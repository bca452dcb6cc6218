import DaybookJournal

/// A batch that waits for its output or is on its way to it.
struct PendingBatch {
    fileprivate(set) var batch: Batch
    /// When its first record was seen.
    let since: UInt64
    /// Whether it takes no more records: it has been sent, or is a part of one that was.
    fileprivate(set) var isClosed = false
    /// Its bytes as stored, with the context that each record will carry.
    private var bytes = 0

    fileprivate init(_ batch: Batch, since: UInt64) {
        self.batch = batch
        self.since = since
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
        var rest = self
        (batch, rest.batch) = batch.parts(count)
        isClosed = true
        rest.isClosed = false
        rest.bytes = rest.batch.storedBytes
        return rest
    }

    /// Takes the records of the batch that follows, if both may be one.
    fileprivate mutating func append(_ next: PendingBatch) -> Bool {
        guard !isClosed, !next.isClosed, batch.stream == next.batch.stream, batch.through < next.batch.through,
            batch.contexts.last?.resource == next.batch.contexts.first?.resource
        else { return false }
        batch.append(next.batch)
        bytes += next.bytes
        return true
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

    /// Leaves so many records in the first batch, at least one; the others go in front of those that follow.
    mutating func cutFront(to count: Int) {
        let count = max(1, count)
        guard let front = pending.first?.batch, front.count > count else { return }
        var rest = pending[0].cut(after: count)
        if pending.count > 1, rest.append(pending[1]) {
            pending[1] = rest
        } else {
            pending.insert(rest, at: 1)
        }
    }

    /// The halves of the first batch take its place.
    mutating func halveFront() {
        let (first, second) = pending[0].batch.parts(pending[0].batch.count / 2)
        var rest = pending[0]
        pending[0].batch = first
        rest.batch = second
        pending.insert(rest, at: 1)
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
