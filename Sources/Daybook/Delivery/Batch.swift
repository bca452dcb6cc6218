import DaybookJournal

/// Records on their way to one output, encoded as they are stored.
///
/// Value semantics; the bytes are shared, not copied, when a batch is cut.
public struct Batch: Sendable {
    /// One record in the batch.
    package struct Item: Sendable {
        /// Its number in the batch's stream: with that, its name.
        package var sequence: UInt64
        /// Where it stands in this journal; another number only for what a dead writer's journal held first.
        package var position: UInt64
        package var isSpan: Bool
        /// Whether it is a span that has only begun: no record yet.
        package var isStart = false
        /// Its place in `payload`.
        package var range: Range<Int>
        /// Its context in `contexts`.
        package var context: Int
    }

    /// The output's id.
    public let output: String
    /// The source of the sequence numbers: the journal that the records were first logged to, and its epoch. Always
    /// unique.
    public let stream: String
    /// Shows the receiver that the batch is of the installation that sent the others of its output. For nobody else: whoever
    /// has it can send as this installation. Empty where there is none.
    package var proof = ""
    /// The batch settles the sequence numbers after this one, …
    public package(set) var after: UInt64
    /// … up to and including this one.
    public package(set) var through: UInt64
    package var items: ArraySlice<Item> = []
    package var payload: [UInt8] = []
    package var contexts: [ContextBytes] = []
    /// How many records this output had lost since the pipeline was opened, by reason, when the batch was sent.
    public package(set) var dropped: [Ledger.DropReason: UInt64] = [:]

    package init(output: String, stream: String, after: UInt64) {
        self.output = output
        self.stream = stream
        self.after = after
        through = after
    }

    /// The number of records.
    public var count: Int { items.count }

    /// The size of the records in bytes, as stored.
    public var bytes: Int { used.count }

    /// Where its records are in `payload`, one after the other; around them may be what was cut off.
    private var used: Range<Int> {
        guard let first = items.first, let last = items.last else { return 0..<0 }
        return first.range.lowerBound..<last.range.upperBound
    }

    /// The records, decoded, for your own outputs that send another format.
    public var records: [Record] {
        items.map { record(of: $0) ?? Record(time: 0, kind: .message, level: .error, tag: "daybook.unreadable") }
    }

    /// One record, decoded; `nil` if its bytes are none.
    @inline(never)
    func record(of item: Item) -> Record? {
        payload.withUnsafeBytes { bytes in
            let payload = UnsafeRawBufferPointer(rebasing: bytes[item.range])
            guard var record = try? RecordDecoder.decode(payload, isSpan: item.isSpan) else { return nil }
            record.sequence = item.sequence
            record.setContext(contexts[item.context].decodedAttributes)
            return record
        }
    }

    /// The place in the journal behind which the batch's records lie no more.
    var position: UInt64? { items.last?.position }

    /// When its first record was logged, or its first span ended, in nanoseconds since 1970; `nil` if its bytes do not say.
    var begin: Int64? {
        guard let item = items.first else { return nil }
        return payload.withUnsafeBytes { bytes in
            let payload = UnsafeRawBufferPointer(rebasing: bytes[item.range])
            return item.isSpan ? RecordOutline(span: payload)?.end : RecordOutline.time(ofLog: payload)
        }
    }

    /// Adds the next record of the journal, of this batch's stream. The bytes it will take on the wire, about.
    mutating func append(_ frame: FrameView, context: ContextBytes) -> Int {
        let item = Item(
            sequence: frame.name.sequence, position: frame.sequence, isSpan: frame.flags.isSpan,
            isStart: frame.flags.isStart, range: 0..<0, context: 0)
        return append(frame.payload, as: item, in: context)
    }

    /// Adds a record of the batch that follows, of the same stream and resource. Returns the same.
    mutating func append(_ item: Item, of next: Batch) -> Int {
        next.payload.withUnsafeBytes {
            append(UnsafeRawBufferPointer(rebasing: $0[item.range]), as: item, in: next.contexts[item.context])
        }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer, as item: Item, in context: ContextBytes) -> Int {
        trim()
        if contexts.last != context { contexts.append(context) }
        var item = item
        item.context = contexts.count - 1
        place(bytes, as: item)
        through = item.sequence
        return bytes.count + context.attributes.count
    }

    /// Drops what was cut off at either end, which it has shared until now with what it was cut from.
    private mutating func trim() {
        let used = used
        guard used.count < payload.count, let first = items.first, let last = items.last else { return }
        payload = Array(payload[used])
        // In the order of the records, like their bytes.
        contexts = Array(contexts[first.context...last.context])
        for index in items.indices {
            let range = items[index].range
            items[index].range = range.lowerBound - used.lowerBound..<range.upperBound - used.lowerBound
            items[index].context -= first.context
        }
    }

    /// Puts a record's bytes behind those of the others.
    private mutating func place(_ bytes: UnsafeRawBufferPointer, as item: Item) {
        var item = item
        item.range = payload.count..<payload.count + bytes.count
        payload.append(contentsOf: bytes)
        items.append(item)
    }

    /// Its bytes as stored, with the context that each record will carry.
    var storedBytes: Int { items.reduce(bytes) { $0 + contexts[$1.context].attributes.count } }

    /// How many records from the first on may be one batch of this size; at least one.
    func count(within size: BatchSize) -> Int {
        let first = items.prefix(max(1, size.count))
        guard bytes > size.bytes else { return first.count }
        let end = used.lowerBound + max(0, size.bytes)
        return max(1, first.prefix { $0.range.upperBound <= end }.count)
    }

    /// The first so many records of a batch, at least one, and the others, at least one; together they settle the same numbers.
    package func parts(_ count: Int) -> (Batch, Batch) {
        let middle = items.startIndex + count
        var first = self
        var second = self
        first.items = items[..<middle]
        first.through = items[middle - 1].sequence
        second.items = items[middle...]
        second.after = first.through
        return (first, second)
    }
}

extension Batch {
    /// The batch as a route's transform makes it, and the places in the journal of the records that it drops. It settles
    /// the same numbers.
    func transformed(by transform: RouteTransform) -> (batch: Batch, dropped: [UInt64]) {
        var result = self
        var dropped: [UInt64] = []
        result.items = []
        result.payload = []
        for item in items {
            // What cannot be read is sent as it is: the receiver decides.
            guard let record = record(of: item) else {
                result.place(Array(payload[item.range]), as: item)
                continue
            }
            var changed: Record?
            CallScope.filter.run { changed = transform.transformed(record) }
            guard let changed else {
                dropped.append(item.position)
                continue
            }
            result.place(RecordEncoder.bytes(of: changed), as: item)
        }
        return (result, dropped)
    }

    private mutating func place(_ bytes: [UInt8], as item: Item) { bytes.withUnsafeBytes { place($0, as: item) } }
}

/// The contexts of frames, decoded once per version.
struct ContextCache {
    private var known: [(stream: JournalStream, version: UInt32, isUnknown: Bool, context: ContextBytes)] = []
    /// Contexts are few; a program that changes its context for every record must not fill the memory.
    private static let maximum = 256
    /// Stands in for a context that is lost: its records say so.
    private static let unknown = ContextBytes(
        resource: [],
        attributes: FieldEncoder.encoded(tag: LogRecordEncoder.attributeTag, key: HashKey(0, 0)) {
            $0.add(WireName.contextUnknown, true)
        }, names: [])
    /// The last answer: a context rarely changes.
    private var last: (journals: JournalContext, decoded: ContextBytes)?

    mutating func context(of frame: FrameView) -> ContextBytes {
        if let last, last.journals === frame.context, !frame.contextUnknown { return last.decoded }
        let decoded = decoded(frame)
        last = frame.contextUnknown ? nil : (frame.context, decoded)
        return decoded
    }

    private mutating func decoded(_ frame: FrameView) -> ContextBytes {
        let (stream, version, isUnknown) = (frame.stream, frame.context.version, frame.contextUnknown)
        for entry in known where entry.version == version && entry.isUnknown == isUnknown && entry.stream == stream {
            return entry.context
        }
        if known.count >= Self.maximum { known.removeAll(keepingCapacity: true) }
        let context = isUnknown ? Self.unknown : ContextBytes(frame.context.bytes)
        known.append((stream, version, isUnknown, context))
        return context
    }
}
