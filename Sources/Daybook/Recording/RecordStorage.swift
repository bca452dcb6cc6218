import CThreads
import DaybookBase
import DaybookJournal

/// How an admitted record gets into the journal.
///
/// Most are encoded once, directly in the journal's memory. A record that a filter may change, or that an output wants on
/// this thread, is encoded aside: bytes that the filters leave alone are copied into the journal; others are decoded into a
/// `Record`, and what the filters make of it is encoded again. So is a record that did not fit into a frame, which is
/// shortened.
extension PipelineCore {
    /// The most a single record may take before it is shortened; beyond it, it is refused.
    private static let maximumRecord = 64 << 20

    /// Stores an admitted event, whose attributes `write` encodes.
    @inline(__always)
    func store(
        _ head: EventHead, _ passage: Passage, _ level: Level, _ table: RoutingTable,
        _ write: (inout FieldEncoder) -> Void
    ) {
        if daybook_tasks_carry_span() || !table.isStoredDirectly(passage)
            || storeDirectly(head, passage, level, head.constants.flags, isSpan: false, table, write) == nil
        {
            storeInSpan(head, passage, level, table, write)
        }
    }

    /// The same for an event that may be in a span, which comes before the attributes, or that filters change.
    @inline(never)
    func storeInSpan(
        _ head: EventHead, _ passage: Passage, _ level: Level, _ table: RoutingTable,
        _ write: (inout FieldEncoder) -> Void
    ) {
        let span = SpanContext.current
        store(passage, level, .record, table) { fields in
            head.encode(&fields)
            if let span { LogRecordEncoder.write(span, to: &fields.writer) }
            write(&fields)
        }
    }

    /// Stores an admitted record that `write` encodes. Returns whether a frame of this kind is stored, though perhaps for
    /// other outputs than were asked for.
    @discardableResult
    func store(
        _ passage: Passage, _ level: Level, _ kind: FrameFlags, _ table: RoutingTable,
        _ write: (inout FieldEncoder) -> Void
    ) -> Bool {
        if table.isStoredDirectly(passage), storeWhole(passage, level, kind, table, write) != nil { return true }
        return storeAside(passage, level, kind, table, write)
    }

    /// Encodes a record in the journal's memory, with what its filters add; `nil` if it does not fit.
    @inline(__always)
    private func storeDirectly(
        _ head: EventHead?, _ passage: Passage, _ level: Level, _ flags: FrameFlags, isSpan: Bool,
        _ table: RoutingTable, _ write: (inout FieldEncoder) -> Void
    ) -> Appended? {
        var isTooLong = false
        let appended = journal.append(
            mask: UInt64(passage.mask.outputs.rawValue), flags: flags, capacity: maximumFrame
        ) { frame in
            let count = FieldEncoder.encode(isSpan: isSpan, key: key, into: frame) { fields in
                head?.encode(&fields)
                // What a record's own code logs meanwhile is dropped: the journal waits for this record.
                CallScope.encoding.run { write(&fields) }
                if passage.mask.contains(.filtered) { add(passage, table, to: &fields) }
            }
            isTooLong = count < 0
            return count
        }
        if isTooLong { return nil }
        drain.note(
            appended,
            isUrgent: level == .fatal || !passage.mask.isDisjoint(with: table.immediateOutputs),
            isFatal: level == .fatal)
        return appended
    }

    /// The same for a record that `write` encodes from its beginning.
    @inline(never)
    private func storeWhole(
        _ passage: Passage, _ level: Level, _ kind: FrameFlags, _ table: RoutingTable,
        _ write: (inout FieldEncoder) -> Void
    ) -> Appended? {
        storeDirectly(nil, passage, level, kind.union(.priority(of: level)), isSpan: kind.isSpan, table, write)
    }

    /// Writes what the filters of a passage add.
    @inline(never)
    private func add(_ passage: Passage, _ table: RoutingTable, to fields: inout FieldEncoder) {
        table.withChain(passage.chain) { $0.encode(weight: passage.weight, into: &fields) }
    }

    /// Encodes a record outside of the journal, since what a filter takes out must never have been on its pages.
    @inline(never)
    private func storeAside(
        _ passage: Passage, _ level: Level, _ kind: FrameFlags, _ table: RoutingTable,
        _ write: (inout FieldEncoder) -> Void
    ) -> Bool {
        let isScreened = table.isScreened(passage)
        var capacity = 1024
        while capacity <= Self.maximumRecord {
            let isStored = withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { memory -> Bool? in
                var ownCount = 0
                let count = FieldEncoder.encode(isSpan: kind.isSpan, key: key, into: memory) { fields in
                    CallScope.encoding.run { write(&fields) }
                    ownCount = fields.writer.count
                    if isScreened { add(passage, table, to: &fields) }
                }
                guard count >= 0 else { return nil }
                let whole = UnsafeRawBufferPointer(rebasing: memory[..<count])
                if isScreened, table.withChain(passage.chain, { $0.leaves(whole, isSpan: kind.isSpan) }) {
                    return store(Passage(mask: passage.mask.outputs), level, kind, table) { $0.add(encoded: whole) }
                }
                // Without what the filters add: they are applied to the record in their order.
                let own = UnsafeRawBufferPointer(rebasing: memory[..<ownCount])
                guard let record = try? RecordDecoder.decode(own, isSpan: kind.isSpan) else { return false }
                return store(record, passage, kind, table)
            }
            if let isStored { return isStored }
            capacity *= 4
        }
        reportTooLong()
        return false
    }

    @inline(never)
    func reportTooLong() {
        report("A record of more than \(Self.maximumRecord) bytes was not recorded. Log less in one record.")
    }

    /// Applies what the passage's chain has left to do, and stores what comes out of it.
    private func store(_ record: Record, _ passage: Passage, _ kind: FrameFlags, _ table: RoutingTable) -> Bool {
        guard passage.mask.contains(.filtered) else { return store(record, for: passage.mask, kind, table) }
        return table.withChain(passage.chain) { chain in
            var record = record
            chain.apply(to: &record, weight: passage.weight, key: key)
            guard let next = chain.rewriteFrom else { return store(record, for: passage.mask, kind, table) }
            return runFilters(from: next, on: record, kind, table)
        }
    }

    /// Runs the filters from `index` on, and stores what comes out of them. Of the gates, those that count are not asked
    /// for the start of a span, but for its end.
    private func runFilters(
        from index: Int, on record: Record, _ kind: FrameFlags, _ table: RoutingTable
    ) -> Bool {
        let isStart = kind.contains(.spanStart)
        var record = record
        for next in index..<table.filters.count {
            let entry = table.filters[next]
            guard let captured = entry.pattern.match(record.tag) else { continue }
            switch entry.action {
            case .enrich(let enrichment):
                record.attributes.elements += enrichment.attributes(key: key).elements
            case .gate(let gate):
                if isStart, gate.isCounting { continue }
                var decision = GateDecision.drop
                CallScope.filter.run { decision = gate.decide(tag: record.tag, level: record.level) }
                guard case .pass(let weight) = decision else {
                    if !isStart { filteredCount.add(1, ordering: .relaxed) }
                    return false
                }
                if weight != 1 { record.multiplyWeight(by: weight) }
            case .rewrite(let filter):
                var results: [Record] = []
                CallScope.filter.run {
                    filter.filter(record, captured: entry.pattern.hasWildcard ? captured : nil) { results.append($0) }
                }
                if results.isEmpty, !isStart { filteredCount.add(1, ordering: .relaxed) }
                var isStored = false
                for result in results where runFilters(from: next + 1, on: result, kind, table) { isStored = true }
                return isStored
            }
        }
        let mask = table.known(record.tag, record.level).routing.mask.subtracting(CallScope.current.outputs)
        if isStart { return store(record, for: mask.intersection(table.startOutputs), kind, table) }
        guard isRouted(mask, tag: record.tag) else { return false }
        return store(record, for: mask, kind, table)
    }

    /// Stores a record, and calls the outputs that want it on this thread. Returns whether it is stored as what it was
    /// logged as: a filter may have made a message of a span.
    private func store(_ record: Record, for mask: RouteMask, _ kind: FrameFlags, _ table: RoutingTable) -> Bool {
        var record = record
        var isStored = false
        let isStart = kind.contains(.spanStart)
        // A filter has made something else of what begins: that comes with its end.
        if isStart, !record.isSpan { return false }
        let stored = mask.intersection(table.storedOutputs)
        if !stored.isEmpty {
            let newKind: FrameFlags = isStart ? .spanStart : record.isSpan ? .spanEnd : .record
            isStored = storeShortened(&record, for: stored, newKind, table) && newKind == kind
        }
        let inline = mask.intersection(table.inlineOutputs)
        if inline.isEmpty { return isStored }
        if isStart { table.inline.start(record, for: inline) } else { table.inline.write(record, to: inline) }
        return isStored
    }

    /// Stores a record, shortened until a frame holds it. Returns whether it is stored; the record is then what the frame
    /// has.
    private func storeShortened(
        _ record: inout Record, for mask: RouteMask, _ kind: FrameFlags, _ table: RoutingTable
    ) -> Bool {
        var limit = maximumFrame
        while true {
            let appended = storeWhole(Passage(mask: mask), record.level, kind, table) {
                RecordEncoder.encode(record, &$0)
            }
            if let appended {
                record.sequence = appended.sequence
                return true
            }
            if limit == maximumFrame { truncatedCount.add(1, ordering: .relaxed) }
            guard limit > 512 else {
                report(
                    "A record with the tag \"\(record.tag.prefix(100))\" has too many attributes to store; it is dropped."
                )
                return false
            }
            record = record.shortened(to: limit)
            limit /= 2
        }
    }
}
