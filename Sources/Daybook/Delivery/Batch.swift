import DaybookJournal

/// Records for one output, encoded as they are stored.
///
/// Value semantics; cutting a batch shares its bytes.
public struct Batch: Sendable {
    package struct Item: Sendable {
        /// The number in the batch's stream.
        package var sequence: UInt64
        /// The number in this journal; differs only for adopted records of a dead writer.
        package var position: UInt64
        package var isSpan: Bool
        /// Whether it is the start of a span, which is no record yet.
        package var isStart = false
        /// Index range in `payload`.
        package var range: Range<Int>
        /// Index in `contexts`.
        package var context: Int
    }

    public let output: String
    /// The source of the sequence numbers: the journal that first held the records, and its epoch. Unique.
    public let stream: String
    /// Proves to the receiver that all batches of an output come from one installation. Secret: whoever has it can send
    /// as this installation. Empty for none.
    package var proof = ""
    /// The batch settles the sequence numbers after this one, …
    public package(set) var after: UInt64
    /// … up to and including this one.
    public package(set) var through: UInt64
    package var items: ArraySlice<Item> = []
    package var payload: [UInt8] = []
    package var contexts: [ContextBytes] = []
    /// Records this output had lost since the pipeline was opened, by reason, when the batch was sent.
    public package(set) var dropped: [Ledger.DropReason: UInt64] = [:]

    package init(output: String, stream: String, after: UInt64) {
        self.output = output
        self.stream = stream
        self.after = after
        through = after
    }

    public var count: Int { items.count }

    /// The size of the records in bytes, as stored.
    public var bytes: Int { used.count }

    /// Where the records are in `payload`; what was cut off may surround them.
    private var used: Range<Int> {
        guard let first = items.first, let last = items.last else { return 0..<0 }
        return first.range.lowerBound..<last.range.upperBound
    }

    /// The records, decoded, for outputs of your own that send another format.
    public var records: [Record] {
        items.map { record(of: $0) ?? Record(time: 0, kind: .message, level: .error, tag: "daybook.unreadable") }
    }

    /// `nil` if the bytes cannot be decoded.
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

    /// The journal position of the last record.
    var position: UInt64? { items.last?.position }

    /// When the first record was logged or its span ended, in nanoseconds since 1970; `nil` if that cannot be read.
    var begin: Int64? {
        guard let item = items.first else { return nil }
        return payload.withUnsafeBytes { bytes in
            let payload = UnsafeRawBufferPointer(rebasing: bytes[item.range])
            return item.isSpan ? RecordOutline(span: payload)?.end : RecordOutline.time(ofLog: payload)
        }
    }

    /// Adds the next record of this stream from the journal. Returns its approximate bytes on the wire.
    mutating func append(_ frame: FrameView, context: ContextBytes) -> Int {
        let item = Item(
            sequence: frame.name.sequence, position: frame.sequence, isSpan: frame.flags.isSpan,
            isStart: frame.flags.isStart, range: 0..<0, context: 0)
        return append(frame.payload, as: item, in: context)
    }

    /// Adds a record of the following batch, of the same stream and resource. Returns its approximate bytes on the
    /// wire.
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

    /// Drops what was cut off, which is shared with the other part until now.
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

    private mutating func place(_ bytes: UnsafeRawBufferPointer, as item: Item) {
        var item = item
        item.range = payload.count..<payload.count + bytes.count
        payload.append(contentsOf: bytes)
        items.append(item)
    }

    /// Stored bytes plus the context of each record.
    var storedBytes: Int { items.reduce(bytes) { $0 + contexts[$1.context].attributes.count } }

    /// How many records from the first fit into this size; at least one.
    func count(within size: BatchSize) -> Int {
        let first = items.prefix(max(1, size.count))
        guard bytes > size.bytes else { return first.count }
        let end = used.lowerBound + max(0, size.bytes)
        return max(1, first.prefix { $0.range.upperBound <= end }.count)
    }

    /// Splits after `count` records; neither part is empty. Together they settle the same numbers.
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
    /// The transformed batch, and the journal positions of the records that the transform drops. Settles the same
    /// numbers.
    func transformed(by transform: RouteTransform) -> (batch: Batch, dropped: [UInt64]) {
        var result = self
        var dropped: [UInt64] = []
        result.items = []
        result.payload = []
        for item in items {
            // Unreadable records are sent unchanged: the receiver decides.
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

/// Decoded contexts of frames, cached by version.
struct ContextCache {
    private var known: [(stream: JournalStream, version: UInt32, isUnknown: Bool, context: ContextBytes)] = []
    /// Bounds the memory of a program that changes its context with every record.
    private static let maximum = 256
    /// Replaces a lost context; its records say so.
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
