import DaybookBase
import DaybookJournal

/// The three ways of an admitted record into the journal.
///
/// - *Fast*: nothing changes it but attributes that are added. It is encoded once, in the journal's own memory.
/// - *Screened*: a filter that redacts may have to change it. It is encoded once, on the stack, looked through, and copied
///   into the journal if nothing is found; otherwise its bytes become a record and go on as rewritten.
/// - *Rewritten*: a filter wants the whole record, or an output wants it on this thread. It is encoded once, decoded into a
///   `Record`, and what comes out of the filters is encoded into the journal.
///
/// A record is encoded a second time only where it did not fit: into a frame of the journal, or into the screen's room on
/// the stack. It then goes the rewritten way, which has room for everything and shortens what no frame holds.
extension PipelineCore {
    /// Writes the record's bytes, with what the filters of a passage add; the count, or -1 if there is too little room.
    typealias Encoding = (UnsafeMutableRawBufferPointer, Passage?) -> Int

    /// The most a single record may take before it is shortened; beyond it, it is refused.
    private static let maximumRecord = 64 << 20
    /// A record that is screened is encoded on the stack, up to so many bytes: not in the journal, since what a screen
    /// finds must never have been on its pages.
    private static let screenedBytes = 1024

    /// Stores an admitted record. Returns whether a frame of this kind is stored, though perhaps for other outputs than
    /// were asked for.
    @inline(__always)
    @discardableResult
    func write(
        _ passage: Passage, level: Level, flags: FrameFlags, _ table: RoutingTable, encode: Encoding
    ) -> Bool {
        if passage.mask.isDisjoint(with: table.inlineOutputs.union(.filtered)) {
            if fast(passage.mask, level: level, flags: flags, table, encode: { encode($0, nil) }) { return true }
            return rewritten(passage, flags: flags, table, encode: encode)
        }
        return writeFiltered(passage, level: level, flags: flags, table, encode: encode)
    }

    /// The same where filters apply to the record, or an output takes it on this thread.
    @inline(never) @_optimize(speed)
    private func writeFiltered(
        _ passage: Passage, level: Level, flags: FrameFlags, _ table: RoutingTable, encode: Encoding
    ) -> Bool {
        guard passage.mask.contains(.filtered), passage.mask.isDisjoint(with: table.inlineOutputs) else {
            return rewritten(passage, flags: flags, table, encode: encode)
        }
        return table.withChain(passage.chain) { chain in
            if chain.rewriteFrom == nil {
                if !chain.screens.isEmpty {
                    let isStored = screened(passage, chain, level: level, flags: flags, table, encode: encode)
                    if let isStored { return isStored }
                } else if fast(passage.mask, level: level, flags: flags, table, encode: { encode($0, passage) }) {
                    return true
                }
            }
            return rewritten(passage, flags: flags, table, encode: encode)
        }
    }

    // MARK: Fast

    /// Appends what `encode` writes; `false` if it does not fit.
    @inline(__always)
    private func fast(
        _ mask: RouteMask, level: Level, flags: FrameFlags, _ table: RoutingTable,
        encode: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Bool {
        var isTooLong = false
        let appended = journal.append(
            mask: UInt64(mask.outputs.rawValue), flags: flags.union(.priority(of: level)), capacity: maximumFrame
        ) {
            let count = encode($0)
            isTooLong = count < 0
            return count
        }
        if isTooLong { return false }
        drain.note(appended, isImmediate: !mask.isDisjoint(with: table.immediateOutputs), level: level)
        return true
    }

    // MARK: Screened

    /// Appends a record whose screens find nothing, and rewrites one where they might; `nil` if there is too little room.
    @_optimize(speed)
    private func screened(
        _ passage: Passage, _ chain: FilterChain, level: Level, flags: FrameFlags, _ table: RoutingTable,
        encode: Encoding
    ) -> Bool? {
        withUnsafeTemporaryAllocation(byteCount: Self.screenedBytes, alignment: 8) { scratch in
            let own = encode(scratch, nil)
            guard own >= 0 else { return nil }
            // What the chain adds stands behind the record's own bytes: if something is found, the record is decoded
            // without it, and the filters are applied in their order.
            let count =
                own
                + chain.additions(
                    weight: passage.weight, isSpan: flags.isSpan, key: key,
                    into: UnsafeMutableRawBufferPointer(rebasing: scratch[own...]))
            guard count >= own else { return nil }
            let payload = UnsafeRawBufferPointer(rebasing: scratch[..<count])
            guard chain.leaves(payload, isSpan: flags.isSpan) else {
                let bytes = UnsafeRawBufferPointer(rebasing: scratch[..<own])
                guard let record = try? RecordDecoder.decode(bytes, isSpan: flags.isSpan) else { return nil }
                return rewritten(record, passage, flags, table)
            }
            let isStored = fast(passage.mask, level: level, flags: flags, table) { frame in
                guard frame.count >= count else { return -1 }
                frame.copyMemory(from: payload)
                return count
            }
            return isStored ? true : nil
        }
    }

    // MARK: Rewritten

    @inline(never) @_optimize(speed)
    private func rewritten(
        _ passage: Passage, flags: FrameFlags, _ table: RoutingTable, encode: Encoding
    ) -> Bool {
        guard let record = Self.decoded(isSpan: flags.isSpan, { encode($0, nil) }) else {
            reportTooLong()
            return false
        }
        return rewritten(record, passage, flags, table)
    }

    /// Encodes into memory that grows until the record fits, and decodes it; `nil` if it is more than is taken at all.
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

    @inline(never)
    func reportTooLong() {
        report("A record of more than \(Self.maximumRecord) bytes was not recorded. Log less in one record.")
    }

    /// Applies what the passage's chain has left to do, and stores what comes out of it.
    private func rewritten(_ record: Record, _ passage: Passage, _ flags: FrameFlags, _ table: RoutingTable) -> Bool {
        guard passage.mask.contains(.filtered) else { return store(record, for: passage.mask, flags, table) }
        return table.withChain(passage.chain) { chain in
            var record = record
            chain.apply(to: &record, weight: passage.weight, key: key)
            guard let next = chain.rewriteFrom else { return store(record, for: passage.mask, flags, table) }
            return runFilters(from: next, on: record, flags, table)
        }
    }

    /// Runs the filters from `index` on, and stores what comes out of them. Of the gates, those that count are not asked
    /// for the start of a span, but for its end.
    private func runFilters(
        from index: Int, on record: Record, _ flags: FrameFlags, _ table: RoutingTable
    ) -> Bool {
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
                    filter.filter(record, captured: entry.pattern.hasWildcard ? captured : nil) { results.append($0) }
                }
                if results.isEmpty, !isStart { filteredCount.add(1, ordering: .relaxed) }
                var isStored = false
                for result in results where runFilters(from: next + 1, on: result, flags, table) { isStored = true }
                return isStored
            }
        }
        let mask = table.cachedRouting(tag: record.tag, level: record.level).mask.subtracting(CallScope.current.outputs)
        if isStart { return store(record, for: mask.intersection(table.startOutputs), flags, table) }
        guard isRouted(mask, tag: record.tag) else { return false }
        return store(record, for: mask, flags, table)
    }

    /// Stores a record, and calls the outputs that want it on this thread. Returns whether it is stored as what it was
    /// logged as: a filter may have made a message of a span.
    private func store(_ record: Record, for mask: RouteMask, _ flags: FrameFlags, _ table: RoutingTable) -> Bool {
        var record = record
        var isStored = false
        let isStart = flags.contains(.spanStart)
        // A filter has made something else of what begins: that comes with its end.
        if isStart, !record.isSpan { return false }
        if !mask.isDisjoint(with: table.storedOutputs) {
            let kind: FrameFlags = isStart ? .spanStart : record.isSpan ? .spanEnd : .record
            isStored = append(&record, as: kind, for: mask, table) && kind == flags
        }
        let inline = mask.intersection(table.inlineOutputs)
        if inline.isEmpty { return isStored }
        if isStart { table.inline.start(record, for: inline) } else { table.inline.write(record, to: inline) }
        return isStored
    }

    /// Appends a record, shortened until a frame holds it. Returns whether it is stored; the record is then what the
    /// frame has.
    private func append(_ record: inout Record, as kind: FrameFlags, for mask: RouteMask, _ table: RoutingTable) -> Bool
    {
        var limit = maximumFrame
        while true {
            var isTooLong = false
            let appended = journal.append(
                mask: UInt64(mask.intersection(table.storedOutputs).rawValue),
                flags: kind.union(.priority(of: record.level)), capacity: maximumFrame
            ) {
                let count = RecordEncoder.encode(record, key: key, into: $0)
                isTooLong = count < 0
                return count
            }
            guard isTooLong else {
                record.sequence = appended.sequence
                drain.note(appended, isImmediate: !mask.isDisjoint(with: table.immediateOutputs), level: record.level)
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
