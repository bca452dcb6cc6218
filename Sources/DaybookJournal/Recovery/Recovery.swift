import DaybookBase

/// Recovers segments, rings, identity and cursors of a directory at the open, skipping what it cannot read. Not
/// thread-safe.
final class Recovery {
    private let files: JournalFiles
    private let options: JournalOptions
    private let system: JournalSystem
    private(set) var journal = JournalID(high: 0, low: 0)
    private(set) var shelf: ShelfContents
    /// Ring files whose frames are in memory and in no segment file.
    private(set) var oldRings: [String] = []
    /// The last sequence in use, as far as the disk tells.
    private(set) var lastSequence: UInt64 = 0
    /// A bound of the sequences in unreadable segments, which must not be reused.
    private var unreadableThrough: UInt64 = 0
    /// The sequences in use before those of the rings' headers.
    private var ringThrough: UInt64 = 0
    /// Holes and torn ends, counted once the watermark is known.
    private var gaps: [Gap] = []

    private struct Gap {
        let after: UInt64
        let before: UInt64
    }

    init(_ files: JournalFiles, _ directory: JournalDirectory, outputs: OutputTable, options: JournalOptions) {
        self.files = files
        self.options = options
        system = directory.system
        shelf = ShelfContents(directory, outputs: outputs, options: options)
    }

    /// - Throws: If the directory cannot be listed. Nothing may be written there without knowing its files.
    func run() throws(JournalFileError) {
        let names = try system.files.names(in: files.directory)
        for name in names where name.hasSuffix(JournalFiles.temporarySuffix) {
            noting { () throws(JournalFileError) in try system.files.remove(files.path(name)) }
        }
        if names.contains("set-aside") { pruneSetAside(keeping: options.setAsideBytes) }
        let firsts = names.compactMap { JournalFiles.firstSequence(ofSegment: $0) }.ordered(by: <)
        for first in firsts { recoverSegment(first) }
        for name in names.filter(JournalFiles.isOldRing).ordered() { try recoverRing(name) }
        if names.contains(JournalFiles.ring) { try recoverRing(JournalFiles.ring) }
        clipOverlaps()
        judgeGaps()
        recoverIdentity()
        recoverCursors()
        dropEmpty()
        shelf.images.removeAll()
        shelf.counters.recoveredSegments = UInt64(shelf.entries.count)
        shelf.counters.recoveredFrames = shelf.entries.reduce(0) { $0 + $1.summary.counted }
    }

    // MARK: Segments

    private func recoverSegment(_ first: UInt64) {
        let name = JournalFiles.segmentName(first: first)
        guard
            let file = noting({ () throws(JournalFileError) in
                try system.files.open(files.path(name), .readWrite)
            })
        else { return leave(first) }
        defer { system.files.close(file) }
        // Taken before reading: changes in between are noticed later.
        let mark = system.files.mark(of: file)
        guard let size = noting({ () throws(JournalFileError) in try system.files.size(file) }) else {
            return leave(first)
        }
        // Begun, but nothing was written.
        if size == 0 {
            noting { () throws(JournalFileError) in try system.files.remove(file.path) }
            return
        }
        if let (header, seal) = readFront(file, size: size), let seal, header.firstSequence == first,
            seal.summary.end <= header.framesLimit(fileBytes: size)
        {
            keep(header, name, mark, byteCount: size, seal.summary, isSynced: true, hasSeal: true)
            return
        }
        scanSegment(first, name, file, mark, size: size)
    }

    /// Reads no more of the file than header and seal need.
    private func readFront(_ file: JournalFile, size: Int) -> (SegmentHeader, SegmentSeal?)? {
        var length = min(size, 4096)
        while true {
            let read = noting { () throws(JournalFileError) in try system.files.readPrefix(file, length) }
            guard let front = read, front.count == length else { return nil }
            let found = front.withUnsafeBytes { bytes -> (SegmentHeader, SegmentSeal?)? in
                SegmentHeader.decode(bytes, at: 0).map { ($0, SegmentSeal.decode(bytes, header: $0)) }
            }
            let most = min(size, SegmentHeader.maximumBytes + SegmentSeal.byteCount)
            if length >= most || found?.1 != nil { return found }
            length = most
        }
    }

    /// Reads the whole segment. Housekeeping seals it after its sync.
    private func scanSegment(_ first: UInt64, _ name: String, _ file: JournalFile, _ mark: FileMark?, size: Int) {
        var failures: [JournalFileError] = []
        let image: SegmentImage
        do throws(JournalFileError) {
            image = try SegmentImage(
                path: file.path, limit: SegmentImage.longest, files: system.files, failures: &failures)
        } catch {
            shelf.counters.note(error)
            return leave(first)
        }
        for failure in failures { shelf.counters.note(failure) }
        guard let (header, isCopy) = SegmentHeader.find(in: image.bytes), header.firstSequence == first
        else { return setAside(name, size: size) }
        if isCopy { shelf.counters.repairedHeaders += 1 }
        let limit = header.framesLimit(fileBytes: image.byteCount)
        guard limit >= header.framesOffset else { return setAside(name, size: size) }
        let scan = withExtendedLifetime(image) {
            SegmentScan(FrameBytes(base: image.start, header: header, limit: limit), header: header)
        }
        if scan.hasTornTail { shelf.counters.tornTails += 1 }
        for hole in scan.holes { gaps.append(Gap(after: hole.after, before: hole.before)) }
        // If a byte could not be read, the end is a guess: the segment counts as sealed, so that it is never truncated
        // there.
        keep(
            header, name, mark, byteCount: size, scan.summary, isSynced: !image.isComplete, hasSeal: !image.isComplete)
    }

    /// Leaves an unreadable file of frames to a later open, and reserves as many sequences as it may hold.
    private func leave(_ first: UInt64, bytes: Int = SegmentImage.longest) {
        unreadableThrough = max(unreadableThrough, first + UInt64(bytes / FrameLayout.alignment))
    }

    private func keep(
        _ header: SegmentHeader, _ name: String, _ mark: FileMark?, byteCount: Int, _ summary: SegmentSummary,
        isSynced: Bool,
        hasSeal: Bool
    ) {
        let segment = Segment(header: header, storage: .file(name: name))
        shelf.entries.append(
            ShelfContents.Entry(
                segment: segment, summary: summary, fileBytes: byteCount, isSynced: isSynced, hasSeal: hasSeal,
                isRecovered: !hasSeal, mark: mark))
    }

    // MARK: Rings

    /// Takes frames that no segment has into memory, and keeps the ring's file until a segment has them.
    ///
    /// - Throws: when an unreadable ring cannot be renamed: its place must not be used.
    private func recoverRing(_ name: String) throws(JournalFileError) {
        let path = files.path(name)
        var failures: [JournalFileError] = []
        let image: SegmentImage
        do throws(JournalFileError) {
            image = try SegmentImage(
                path: path, limit: Ring.headerBytes + Ring.mostBytes, files: system.files, failures: &failures)
        } catch {
            shelf.counters.note(error)
            let last = shelf.entries.map(\.summary.lastSequence).max() ?? 0
            leave(last, bytes: Ring.mostBytes)
            // Makes room for the new ring. A later open tries again.
            if name == JournalFiles.ring, !rename(name, first: last + 1) { throw error }
            return
        }
        for failure in failures { shelf.counters.note(failure) }
        guard let scan = RingScan(image) else { return giveUp(name) }
        ringThrough = max(ringThrough, scan.header.firstSequence - 1)
        if journal == JournalID(high: 0, low: 0) { journal = scan.header.stream.journal }
        let salt = scan.header.salt
        let logged = shelf.entries.last { $0.segment.header.salt == salt }
        let found = scan.segments(after: logged?.summary.lastSequence ?? 0, state: logged.map(endState))
        guard let first = found.first?.header.firstSequence else { return giveUp(name) }
        for (header, image) in found {
            let inner = withExtendedLifetime(image) {
                SegmentScan(FrameBytes(base: image.start, header: header, limit: image.byteCount), header: header)
            }
            for hole in inner.holes { gaps.append(Gap(after: hole.after, before: hole.before)) }
            // Later launches may have written segments since, and died before these frames were in one.
            let place = shelf.entries.firstIndex { $0.segment.header.firstSequence > header.firstSequence }
            shelf.entries.insert(
                ShelfContents.Entry(
                    segment: Segment(header: header, storage: .memory(image)), summary: inner.summary, fileBytes: 0,
                    isSynced: false, isRecovered: true), at: place ?? shelf.entries.count)
        }
        let isRenamed = name == JournalFiles.ring && rename(name, first: first)
        oldRings.append(isRenamed ? JournalFiles.oldRing(first: first) : name)
    }

    /// Removes a ring whose frames are all in segments, unless it is the one that is used again.
    private func giveUp(_ name: String) {
        guard name != JournalFiles.ring else { return }
        noting { () throws(JournalFileError) in try system.files.remove(files.path(name)) }
    }

    private func rename(_ name: String, first: UInt64) -> Bool {
        let renamed: Void? = noting { () throws(JournalFileError) in
            try system.files.rename(files.path(name), to: files.path(JournalFiles.oldRing(first: first)))
        }
        shelf.isDirectoryDirty = true
        return renamed != nil
    }

    private func endState(_ entry: ShelfContents.Entry) -> StreamState {
        let header = entry.segment.header
        var context = entry.segment.context
        var failures: [JournalFileError] = []
        let loaded: SegmentImage? =
            if case .memory(let image) = entry.segment.storage {
                image
            } else {
                try? SegmentImage(  // the next reader reports failures
                    path: files.path(entry.segment.name), limit: SegmentImage.longest, files: system.files,
                    failures: &failures)
            }
        if let image = loaded {
            withExtendedLifetime(image) {
                _ = SegmentScan(FrameBytes(image, entry), header: header) { frame, payload in
                    guard frame.flags.contains(.contextChange) else { return }
                    context = JournalContext(
                        stream: header.stream, version: frame.contextVersion, bytes: Array(payload))
                }
            }
        }
        return StreamState(
            from: entry.summary.lastSequence &+ 1, context: context, tableVersion: header.tableVersion,
            outputs: header.outputs)
    }

    /// Ends an older segment where a newer one begins: after a power failure, the sequences were reused.
    private func clipOverlaps() {
        for index in shelf.entries.indices.dropLast() {
            let next = shelf.entries[index + 1].segment.header.firstSequence
            if shelf.entries[index].summary.lastSequence >= next { shelf.entries[index].lastUsable = next - 1 }
        }
        lastSequence = shelf.entries.map(\.summary.lastSequence).max() ?? 0
        lastSequence = max(lastSequence, unreadableThrough, ringThrough)
    }

    /// Frames missing below the watermark are damage. Above it, a power failure explains them.
    private func judgeGaps() {
        var watermark: UInt64 = 0
        var previous: UInt64?
        for entry in shelf.entries {
            let summary = entry.summary
            watermark = max(watermark, summary.syncedThrough)
            let first = entry.segment.header.firstSequence
            if let previous, first > previous &+ 1 { gaps.append(Gap(after: previous, before: first)) }
            previous = summary.lastSequence
        }
        if let previous, watermark > previous { gaps.append(Gap(after: previous, before: watermark + 1)) }
        for gap in gaps {
            let count = gap.before - gap.after - 1
            let below = min(max(watermark, gap.after), gap.before - 1) - gap.after
            shelf.counters.corruptFrames += below
            shelf.counters.lostFrames += count - below
        }
        shelf.syncedThrough = min(watermark, lastSequence)
    }

    /// Removes segments without frames, which only told the next sequence. A new segment takes the last one's name.
    private func dropEmpty() {
        for entry in shelf.entries where entry.summary.frames == 0 {
            guard entry.segment.header.firstSequence != lastSequence + 1 else { continue }
            noting { () throws(JournalFileError) in try system.files.remove(files.path(entry.segment.name)) }
        }
        shelf.entries.removeAll { $0.summary.frames == 0 }
    }

    // MARK: Files put aside

    private func setAside(_ name: String, size: Int) {
        shelf.counters.setAsideSegments += 1
        pruneSetAside(keeping: max(options.setAsideBytes - size, 0))
        noting { () throws(JournalFileError) in
            if size > options.setAsideBytes { return try system.files.remove(files.path(name)) }
            try system.files.createDirectory(files.setAside)
            let kept = Hex.text(system.wallNanoseconds()) + "-" + name + JournalFiles.badSuffix
            try system.files.rename(files.path(name), to: files.setAside + "/" + kept)
            shelf.setAsideBytes += size
        }
    }

    private func pruneSetAside(keeping limit: Int) {
        let names = (try? system.files.names(in: files.setAside)) ?? []  // usually missing
        var sizes: [(path: String, bytes: Int)] = []
        for name in names.ordered() where name.hasSuffix(JournalFiles.badSuffix) {
            let path = files.setAside + "/" + name
            guard let file = noting({ () throws(JournalFileError) in try system.files.open(path, .read) }) else {
                continue
            }
            defer { system.files.close(file) }
            sizes.append((path, noting { () throws(JournalFileError) in try system.files.size(file) } ?? 0))
        }
        var total = sizes.reduce(0) { $0 + $1.bytes }
        for (path, bytes) in sizes where total > limit {
            noting { () throws(JournalFileError) in try system.files.remove(path) }
            total -= bytes
        }
        shelf.setAsideBytes = total
    }

    // MARK: Identity

    private func recoverIdentity() {
        if let id = IdentityFile.read(files, system.files) {
            journal = id
            return
        }
        if let last = shelf.entries.last {
            journal = last.segment.header.stream.journal
        } else if journal == JournalID(high: 0, low: 0) {
            journal = system.randomID()
        }
        noting { () throws(JournalFileError) in try IdentityFile.write(journal, to: files, system.files) }
        shelf.isDirectoryDirty = true
    }

    // MARK: Cursors

    private func recoverCursors() {
        noting { () throws(JournalFileError) in try system.files.createDirectory(files.cursors) }
        let names = noting { () throws(JournalFileError) in try system.files.names(in: files.cursors) } ?? []
        var damaged: Set<String> = []
        for name in names.ordered() where name.hasSuffix(JournalFiles.cursorSuffix) {
            if !recoverCursor(name) { damaged.insert(name) }
        }
        // Without segments, cursors tell how far sequences went.
        if shelf.entries.isEmpty {
            for cursor in shelf.cursors.values { lastSequence = max(lastSequence, cursor.slot.sequence) }
        }
        for (id, cursor) in shelf.cursors where cursor.slot.sequence > lastSequence {
            shelf.counters.clampedCursors += 1
            shelf.cursors[id]?.slot.sequence = lastSequence
        }
        for id in shelf.outputs.ids where shelf.cursors[id] == nil {
            // An output in a segment's table is not new: its cursor was lost, and it gets its records again.
            let isKnown = shelf.entries.contains { $0.segment.header.outputs.bit(of: id) != nil }
            let isDamaged = damaged.contains(JournalFiles.cursorName(of: id))
            guard isKnown || isDamaged else { continue }
            shelf.counters.lostCursors += 1
            let slot = CursorSlot(output: id, generation: 0, sequence: 0)
            let file = noting { () throws(JournalFileError) in
                try OpenFile(files.cursor(of: id), .readWriteCreating, system.files)
            }
            shelf.cursors[id] = Cursor(slot: slot, file: file, mark: file?.mark, isRemoved: true)
        }
    }

    private func recoverCursor(_ name: String) -> Bool {
        let path = files.cursors + "/" + name
        let opened = noting { () throws(JournalFileError) in try OpenFile(path, .readWrite, system.files) }
        guard let opened else { return false }
        let mark = opened.mark
        let bytes = noting { () throws(JournalFileError) in
            try system.files.readPrefix(opened.file, CursorSlot.fileBytes)
        }
        guard let slot = bytes?.withUnsafeBytes({ CursorSlot.newest(in: $0) }),
            JournalFiles.cursorName(of: slot.output) == name
        else { return false }
        // Whether its output still exists is decided later.
        shelf.cursors[slot.output] = Cursor(slot: slot, file: opened, mark: mark, isRemoved: true)
        return true
    }

    /// Counts a failed step, and goes on.
    @discardableResult
    private func noting<Result>(_ step: () throws(JournalFileError) -> Result) -> Result? {
        do throws(JournalFileError) {
            return try step()
        } catch {
            shelf.counters.note(error)
            return nil
        }
    }
}
