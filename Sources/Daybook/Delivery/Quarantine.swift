import DaybookJournal

/// Limits for records that receivers permanently refused.
public struct QuarantineLimits: Sendable, Hashable {
    /// Most bytes on disk; the oldest records are removed first, and count as *rejected*. Default 2 MiB; at least four
    /// segments of four of the longest records (about 1 MiB by default).
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

/// Records that receivers permanently refused, in a journal of their own: the folder `quarantine` of the pipeline's,
/// made for the first one.
///
/// Confined to the drain thread.
final class Quarantine {
    /// What the reason adds to a record, at most.
    private static let room = 1024
    private static let maximumReason = 256

    private let directory: String
    private let outputs: [String]
    private let options: JournalOptions
    private let system: JournalSystem
    private var journal: Journal?
    private var isSuspended = false
    private var contexts = ContextCache()
    /// Records found at the open, and those resent and discarded since, by output.
    private var found: [String: UInt64] = [:]
    private var resent: [String: UInt64] = [:]
    private var discarded: [String: UInt64] = [:]
    /// Outputs (a bit each) whose earlier records have been read into `known`; done when the first record comes.
    private var isRead: UInt64 = 0
    /// Records that earlier launches put here, by output and origin.
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
        // A folder that cannot be listed counts as none until a record comes.
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

    /// Stores refused records durably, under their original stream and number.
    ///
    /// If the last launch ended before the main journal's cursor passed them, they are refused again. They are still
    /// kept once.
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
        // The main journal's cursor passes them next, and then no longer has them.
        journal.sync()
    }

    /// Whether an earlier launch put the record here. It was then counted twice: here, and where it still waited.
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

    /// Oldest first.
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

    /// Moves an output's records back to the main journal, which settled their old numbers and gives new ones. Returns
    /// how many.
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

    /// Drops an output's records. Returns how many.
    func discard(of id: String) -> Int {
        guard let journal, outputs.contains(id) else { return 0 }
        let count = journal.pending(of: id)
        journal.advance(id, to: journal.lastSequence)
        discarded[id, default: 0] += count
        return Int(clamping: count)
    }

    /// Adds the quarantine to an output's ledger. What was here at the open counts as accepted; what was resent is
    /// counted in the main journal.
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

    /// Records lost to the disk, the limits and age; changes while ledgers are made.
    var drops: [DropReason: [String: UInt64]] { journal?.counters.drops ?? [:] }

    /// The slow work. Returns when it is due again.
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

enum QuarantineWish: Sendable {
    case show(limit: Int)
    case resend
    case discard
}

struct QuarantineAnswer: Sendable {
    var records: [Record] = []
    var count = 0
}
