import DaybookBase
import DaybookJournal

/// The way of records that filters apply to, or that an output takes on this thread.
extension PipelineCore {
    /// The most a single record may take before it is shortened; beyond it, it is refused.
    private static let maximumRecord = 64 << 20
    /// A record that is screened is encoded on the stack, up to so many bytes: not in the journal, since what a screen
    /// finds must never have been on its pages.
    private static let screenedBytes = 1024

    /// Asks the gates that come before anything that could change what they see.
    @inline(never)
    func filter(_ routing: Routing, _ tag: String, _ level: Level, _ table: RoutingTable) -> Passage? {
        let chain = table.chain(routing.chain)
        // A filter that rewrites may lead a record elsewhere: where it goes is asked behind it.
        if chain.rewriteFrom == nil {
            guard isRouted(routing.mask, tag: tag) else { return nil }
        }
        var weight: Double? = 1
        if !chain.gates.isEmpty {
            CallScope.filter.run { weight = chain.weight(tag: tag, level: level) }
        }
        guard let weight else {
            filteredCount.add(1, ordering: .relaxed)
            return nil
        }
        return Passage(mask: routing.mask, chain: routing.chain, weight: weight)
    }

    /// The same for the start of a span, which only batch outputs are interested in, and which nobody counts.
    func admitStart(_ routing: Routing, _ tag: String, _ level: Level, _ table: RoutingTable) -> Passage? {
        let scope = CallScope.current
        guard scope.isEmpty || isAllowed(in: scope) else { return nil }
        let mask = routing.mask.intersection(table.batchOutputs).subtracting(scope.outputs)
        guard routing.mask.contains(.filtered) else { return mask.isEmpty ? nil : Passage(mask: mask) }
        let chain = table.chain(routing.chain)
        guard !mask.isEmpty || chain.rewriteFrom != nil else { return nil }
        var weight: Double?
        CallScope.filter.run { weight = chain.startWeight(tag: tag, level: level) }
        return weight.map { Passage(mask: mask.union(.filtered), chain: routing.chain, weight: $0) }
    }

    @inline(never)
    func writeFiltered(
        _ passage: Passage, level: Level, flags: FrameFlags, _ table: RoutingTable, encode: Encoding
    ) -> Bool {
        let isFiltered = passage.mask.contains(.filtered)
        if isFiltered, passage.mask.isDisjoint(with: table.inlineOutputs) {
            let chain = table.chain(passage.chain)
            if chain.rewriteFrom == nil {
                let isStored =
                    chain.screens.isEmpty
                    ? append(passage.mask, level: level, flags: flags, table) { encode($0, passage) }
                    : appendScreened(passage, chain, level: level, flags: flags, table, encode: encode)
                if isStored { return true }
            }
        }
        return store(encode: encode, passage, flags: flags, table)
    }

    /// Appends a record that its screens leave alone; `false` if one might not, or if there is too little room.
    private func appendScreened(
        _ passage: Passage, _ chain: FilterChain, level: Level, flags: FrameFlags, _ table: RoutingTable,
        encode: Encoding
    ) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.screenedBytes, alignment: 8) { scratch in
            let count = encode(scratch, passage)
            guard count >= 0 else { return false }
            let payload = UnsafeRawBufferPointer(rebasing: scratch[..<count])
            guard chain.leaves(payload, isSpan: flags.isSpan) else { return false }
            return append(passage.mask, level: level, flags: flags, table) { frame in
                guard frame.count >= count else { return -1 }
                frame.copyMemory(from: payload)
                return count
            }
        }
    }

    /// The slow path: builds the record, runs its filters, and stores what comes out of them. Returns whether a frame
    /// of this kind is.
    @inline(never)
    func store(encode: Encoding, _ passage: Passage, flags: FrameFlags, _ table: RoutingTable) -> Bool {
        guard var record = Self.decoded(isSpan: flags.isSpan, { encode($0, nil) }) else {
            reportTooLong()
            return false
        }
        guard passage.mask.contains(.filtered) else { return store(record, mask: passage.mask, flags, table) }
        let chain = table.chain(passage.chain)
        chain.apply(to: &record, weight: passage.weight, key: key)
        guard let next = chain.rewriteFrom else { return store(record, mask: passage.mask, flags, table) }
        return filter(record, from: next, flags, table)
    }

    @inline(never)
    func reportTooLong() {
        report("A record of more than \(Self.maximumRecord) bytes was not recorded. Log less at once.")
    }

    private static func decoded(isSpan: Bool, _ encode: (UnsafeMutableRawBufferPointer) -> Int) -> Record? {
        var capacity = 4096
        while capacity <= maximumRecord {
            var failed = false
            let payload = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                count = encode(UnsafeMutableRawBufferPointer(buffer))
                failed = count < 0
                count = max(0, count)
            }
            if !failed { return payload.withUnsafeBytes { try? RecordDecoder.decode($0, isSpan: isSpan) } }
            capacity *= 4
        }
        return nil
    }

    /// Runs the filters from `index` on, and stores what comes out of them. Of the gates, those that count are not asked
    /// for the start of a span, but for its end.
    private func filter(_ record: Record, from index: Int, _ flags: FrameFlags, _ table: RoutingTable) -> Bool {
        let isStart = flags.contains(.spanStart)
        var record = record
        for next in index..<table.filters.count {
            let entry = table.filters[next]
            guard let captured = entry.pattern.match(record.tag) else { continue }
            switch entry.action {
            case .enrich(let enrichment):
                record.attributes.elements += enrichment.attributes(key: key).elements
            case .gate(let gate):
                if isStart, gate.isCounting { continue }
                var verdict = GateVerdict.drop
                CallScope.filter.run { verdict = gate.verdict(tag: record.tag, level: record.level) }
                guard case .pass(let weight) = verdict else {
                    if !isStart { filteredCount.add(1, ordering: .relaxed) }
                    return false
                }
                if weight != 1 { record.multiplyWeight(by: weight) }
            case .rewrite(let filter):
                var results: [Record] = []
                CallScope.filter.run {
                    filter.filter(record, captured: captured.isEmpty ? nil : captured) { results.append($0) }
                }
                if results.isEmpty, !isStart { filteredCount.add(1, ordering: .relaxed) }
                var isStored = false
                for result in results where self.filter(result, from: next + 1, flags, table) { isStored = true }
                return isStored
            }
        }
        let mask = table.cachedRouting(tag: record.tag, level: record.level).mask.subtracting(CallScope.current.outputs)
        if isStart { return store(record, mask: mask.intersection(table.batchOutputs), flags, table) }
        guard isRouted(mask, tag: record.tag) else { return false }
        return store(record, mask: mask, flags, table)
    }

    /// Stores a record, shortened if it must be, and calls the outputs that want it on this thread. Returns whether it
    /// is stored as what it was logged as: a filter may have made a message of a span.
    private func store(_ record: Record, mask: RouteMask, _ flags: FrameFlags, _ table: RoutingTable) -> Bool {
        var record = record
        let stored = mask.intersection(table.storedOutputs)
        var isStored = false
        if !stored.isEmpty, record.isSpan || !flags.contains(.spanStart) {
            let kind: FrameFlags = flags.contains(.spanStart) ? .spanStart : record.isSpan ? .spanEnd : .record
            var limit = maximumFrame
            while true {
                var isTooLong = false
                let appended = journal.append(
                    mask: UInt64(stored.rawValue), flags: kind.union(.priority(of: record.level)),
                    capacity: maximumFrame
                ) {
                    let count = RecordEncoder.encode(record, key: key, into: $0)
                    isTooLong = count < 0
                    return count
                }
                guard isTooLong else {
                    isStored = kind == flags
                    record.sequence = appended.sequence
                    drain.note(
                        appended, isImmediate: !mask.isDisjoint(with: table.immediateOutputs), level: record.level)
                    break
                }
                if limit == maximumFrame { truncatedCount.add(1, ordering: .relaxed) }
                guard limit > 512 else {
                    report(
                        "A record with the tag \"\(record.tag.prefix(100))\" has too many attributes to store; it is dropped."
                    )
                    break
                }
                record = record.shortened(to: limit)
                limit /= 2
            }
        }
        let inline = mask.intersection(table.inlineOutputs)
        if !inline.isEmpty { table.inline.write(record, to: inline) }
        return isStored
    }
}
