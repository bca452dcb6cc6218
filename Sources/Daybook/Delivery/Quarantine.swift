import DaybookJournal

/// Limits for the records that receivers permanently refused.
public struct QuarantineLimits: Sendable, Hashable {
    /// The most bytes on disk; the oldest records are removed first, and count as *rejected*. Default 2 MiB; at least
    /// four segments of four of the longest records (about 1 MiB by default).
    public var bytes: Int
    /// The longest time, measured within one boot of the device and checked at launch. Default 30 days.
    public var age: Duration

    /// Creates limits. Default: 2 MiB and 30 days.
    ///
    /// ```swift
    /// var options = PipelineOptions()
    /// options.quarantine = QuarantineLimits(bytes: 8 << 20, age: .seconds(7 * 86_400))
    /// ```
    public init(bytes: Int = 2 << 20, age: Duration = .seconds(30 * 86_400)) {
        self.bytes = bytes
        self.age = age
    }
}

/// Records that receivers permanently refused, kept for inspection: in a separate journal, in the folder
/// `quarantine` of the pipeline's, which is made when the first one comes.
///
/// Confined to the drain thread.
final class Quarantine {
    /// What an attribute with the reason may take on top of a record.
    private static let room = 1024
    private static let maximumReason = 256

    private let directory: String
    private let outputs: [String]
    private let options: JournalOptions
    private let system: JournalSystem
    private var journal: Journal?
    private var isSuspended = false
    private var contexts = ContextCache()
    /// Records found at the open, and what has become of records since, by output.
    private var found: [String: UInt64] = [:]
    private var resent: [String: UInt64] = [:]
    private var discarded: [String: UInt64] = [:]
    /// Whether what launches before this one have put there was read, a bit for each output: when the first record comes.
    private var isRead: UInt64 = 0
    /// That, by output and origin.
    private var known: Set<String> = []

    /// - Parameters:
    ///   - main: The journal that the records come from.
    ///   - outputs: Its outputs, by their bits.
    init(beside main: Journal, outputs: [String], limits: QuarantineLimits) {
        directory = main.directory + "/quarantine"
        self.outputs = outputs
        var options = JournalOptions()
        options.maximumFrameBytes = main.options.maximumFrameBytes + Self.room
        options.segmentBytes = options.maximumFrameBytes * 4 + 4096
        options.capBytes = limits.bytes
        options.maximumAge = limits.age
        options.isShared = main.options.isShared
        options.ringBytes = options.maximumFrameBytes * 4
        self.options = options
        system = main.system
        // A folder that cannot be listed is none, until a record comes for it.
        if (try? system.files.names(in: directory)) != nil { open() }
    }

    @discardableResult
    private func open() -> Journal {
        if let journal { return journal }
        let opened = Journal.open(directory: directory, outputs: outputs, options: options, system: system)
        journal = opened
        opened.housekeep()
        if isSuspended { opened.suspend() }
        for id in outputs {
            found[id] = opened.pending(of: id) + opened.counters.dropped(for: Journal.storedID(of: id))
        }
        return opened
    }

    /// Keeps records of a batch that were refused, on stable storage, under their first names.
    ///
    /// Where a launch ended before the main journal's cursor had passed them, they are refused once more in the next one:
    /// they stay here once.
    /// - Parameter index: The output's bit.
    func keep(_ items: [Batch.Item], of batch: Batch, output index: Int, reason: String) {
        let journal = open()
        let stream = JournalStream(description: batch.stream)
        var copies: [FrameCopy] = []
        for item in items {
            let origin = stream.map { FrameOrigin(stream: $0, sequence: item.sequence) }
            if let origin, isKnown(origin, in: journal, output: index) { continue }
            let field = item.isSpan ? SpanEncoder.attributeTag : LogRecordEncoder.attributeTag
            let note = FieldEncoder.encoded(tag: field, key: HashKey(0, 0)) {
                $0.add(WireName.refused, reason, limit: Self.maximumReason)
            }
            let flags: FrameFlags = item.isSpan ? .spanEnd : .record
            copies.append(
                FrameCopy(
                    mask: 1 << UInt64(index), flags: origin == nil ? flags : flags.union(.adopted),
                    context: batch.contexts[item.context].encoded,
                    payload: (origin?.encoded() ?? []) + batch.payload[item.range] + note))
        }
        journal.append(copies)
        // The main journal's cursor passes them next, and then has them no more.
        journal.sync()
    }

    /// Whether a former launch has put the record here. It was then counted twice: here, and where it still waited.
    private func isKnown(_ origin: FrameOrigin, in journal: Journal, output index: Int) -> Bool {
        let id = outputs[index]
        func name(_ origin: FrameOrigin) -> String { "\(index) \(origin.stream) \(origin.sequence)" }
        if isRead & (1 << UInt64(index)) == 0 {
            isRead |= 1 << UInt64(index)
            journal.read(after: journal.cursor(of: id), output: index) { frame in
                if let origin = frame.origin { known.insert(name(origin)) }
                return true
            }
        }
        guard known.remove(name(origin)) != nil else { return false }
        if let count = found[id], count > 0 { found[id] = count - 1 }
        return true
    }

    /// What is there for an output, the oldest first.
    func records(of id: String, limit: Int) -> [Record] {
        guard let journal, let index = outputs.firstIndex(of: id) else { return [] }
        var records: [Record] = []
        journal.read(after: journal.cursor(of: id), output: index, limitFrames: max(0, limit)) { frame in
            guard var record = try? RecordDecoder.decode(frame.payload, isSpan: frame.flags.isSpan) else { return true }
            record.context = contexts.context(of: frame).decodedAttributes
            records.append(record)
            return true
        }
        return records
    }

    /// Gives what is there for an output back to the main journal, where it gets new numbers: those it had count as
    /// settled. Returns how many records.
    func release(of id: String, to main: Journal) -> Int {
        guard let journal, let index = outputs.firstIndex(of: id) else { return 0 }
        var through = journal.cursor(of: id)
        var count = 0
        while true {
            var copies: [FrameCopy] = []
            let read = journal.read(after: through, output: index, limitBytes: 64 << 10, limitFrames: 64) { frame in
                copies.append(
                    FrameCopy(
                        mask: 1 << UInt64(index), flags: frame.flags, context: frame.context.bytes,
                        payload: Array(frame.payload)))
                return true
            }
            main.append(copies, beyond: Self.room)
            count += copies.count
            guard read.through > through else { break }
            through = read.through
        }
        guard count > 0 else { return 0 }
        main.sync()
        journal.advance(id, to: through)
        resent[id, default: 0] += UInt64(count)
        return count
    }

    /// Gives up what is there for an output. Returns how many records.
    func discard(of id: String) -> Int {
        guard let journal, outputs.contains(id) else { return 0 }
        let count = journal.pending(of: id)
        journal.advance(id, to: journal.lastSequence)
        discarded[id, default: 0] += count
        return Int(clamping: count)
    }

    /// An output's ledger with what is here: also what was here when the pipeline was opened is accepted, and what has
    /// gone back to the journal is counted there.
    func completed(_ ledger: Ledger, of id: String) -> Ledger {
        guard let journal else { return ledger }
        var ledger = ledger
        let found = found[id] ?? 0
        ledger.accepted += found
        ledger.accepted -= resent[id] ?? 0
        ledger.recovered += found
        ledger.quarantined = journal.pending(of: id)
        let lost = journal.counters.dropped(for: Journal.storedID(of: id)) + (discarded[id] ?? 0)
        if lost > 0 { ledger.dropped[.rejected, default: 0] += lost }
        return ledger
    }

    /// What the disk, the limits and time have taken: it changes while ledgers are made.
    var drops: [DropReason: [String: UInt64]] { journal?.counters.drops ?? [:] }

    /// The slow work; when to come again.
    func housekeep() -> UInt64 { journal?.housekeep() ?? .max }

    func suspend() {
        isSuspended = true
        journal?.suspend()
    }

    func resume() {
        isSuspended = false
        journal?.resume()
    }

    func close() { journal?.close() }
}

/// What may be asked of refused records.
enum QuarantineWish: Sendable {
    case show(limit: Int)
    case resend
    case discard
}

/// What came of it.
struct QuarantineAnswer: Sendable {
    var records: [Record] = []
    var count = 0
}
