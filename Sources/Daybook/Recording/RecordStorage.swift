import CThreads
import DaybookBase
import DaybookJournal

/// How an admitted record gets into the journal.
///
/// Most are encoded once, directly in the journal's memory. With a rewriting filter or an inline output, a record is
/// first encoded elsewhere. If the filters leave the bytes alone, they are copied into the journal; otherwise the
/// record is decoded, filtered and encoded again. A record that does not fit into a frame is shortened.
extension PipelineCore {
    /// Larger records are dropped.
    private static let maximumRecord = 64 << 20

    /// `write` encodes the attributes.
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

    /// Same, if the event may be in a span, whose ids precede the attributes, or filters change it.
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

    /// `write` encodes the record. Returns whether a frame of this kind is stored, though perhaps for other outputs.
    @discardableResult
    func store(
        _ passage: Passage, _ level: Level, _ kind: FrameFlags, _ table: RoutingTable,
        _ write: (inout FieldEncoder) -> Void
    ) -> Bool {
        if table.isStoredDirectly(passage), storeWhole(passage, level, kind, table, write) != nil { return true }
        return storeAside(passage, level, kind, table, write)
    }

    /// Encodes a record in the journal's memory, with its filters' attributes; `nil` if it does not fit.
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
                // Log calls of the record's own code are dropped: the journal is locked.
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

    /// Same, if `write` encodes the whole record.
    @inline(never)
    private func storeWhole(
        _ passage: Passage, _ level: Level, _ kind: FrameFlags, _ table: RoutingTable,
        _ write: (inout FieldEncoder) -> Void
    ) -> Appended? {
        storeDirectly(nil, passage, level, kind.union(.priority(of: level)), isSpan: kind.isSpan, table, write)
    }

    @inline(never)
    private func add(_ passage: Passage, _ table: RoutingTable, to fields: inout FieldEncoder) {
        table.withChain(passage.chain) { $0.encode(weight: passage.weight, into: &fields) }
    }

    /// Encodes a record outside the journal: what a filter removes must never be on its pages.
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
                // Without the filters' attributes, which are added again in order.
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

    /// Applies the rest of the passage's chain, and stores the results.
    private func store(_ record: Record, _ passage: Passage, _ kind: FrameFlags, _ table: RoutingTable) -> Bool {
        guard passage.mask.contains(.filtered) else { return store(record, for: passage.mask, kind, table) }
        return table.withChain(passage.chain) { chain in
            var record = record
            chain.apply(to: &record, weight: passage.weight, key: key)
            guard let next = chain.rewriteFrom else { return store(record, for: passage.mask, kind, table) }
            return runFilters(from: next, on: record, kind, table)
        }
    }

    /// Runs the filters from `index`, and stores the results. Counting gates are not asked at a span's start, but at
    /// its end.
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

    /// Stores a record and calls its inline outputs. Returns whether it is stored as the kind it was logged as: a
    /// filter may turn a span into a message.
    private func store(_ record: Record, for mask: RouteMask, _ kind: FrameFlags, _ table: RoutingTable) -> Bool {
        var record = record
        var isStored = false
        let isStart = kind.contains(.spanStart)
        // What a filter made of a span is recorded at its end.
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

    /// Stores a record, shortened until a frame holds it. Afterwards `record` is what was stored. Returns whether it
    /// is.
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
