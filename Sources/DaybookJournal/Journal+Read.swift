import Synchronization

extension Journal {
    /// Visits the frames after a sequence, in order, while appends may go on.
    ///
    /// - Parameters:
    ///   - sequence: the last one that is done with; usually `cursor(of:)`, or `through` of the read before.
    ///   - output: the place of an output in the present list, whose frames alone are visited; `nil` for all frames.
    ///   - limitBytes: stop before the payloads exceed this, but never before the first frame.
    ///   - limitFrames: stop after so many frames.
    ///   - withinStream: stop before a frame of another launch than the first one visited, since a batch names one.
    ///   - visit: gets each frame; `false` stops the read, and leaves the frame for the next one. May append to the
    ///     journal; must not call `housekeep`, `sync`, `close` or read.
    /// - Throws: what `visit` throws.
    ///
    /// Damaged places are stepped over and counted once.
    @discardableResult
    public func read(
        after sequence: UInt64, output: Int? = nil, limitBytes: Int = .max, limitFrames: Int = .max,
        withinStream: Bool = false, _ visit: (FrameView) throws -> Bool
    ) rethrows -> ReadProgress {
        let (entries, outputs) = shelf.withLock { shelf in
            (Array(shelf.entries[shelf.firstIndex(after: sequence)...]), shelf.outputs)
        }
        var progress = ReadProgress(through: sequence)
        var stream: JournalStream?
        let wanted = output.map { $0 < 64 ? UInt64(1) << UInt64($0) : 0 }
        for (index, entry) in entries.enumerated() {
            let header = entry.segment.header
            // What lay between the last segment and this one is not there any more.
            progress.through = max(progress.through, header.firstSequence &- 1)
            let translate = MaskTranslation(from: header.outputs, to: outputs, backfill: options.backfill)
            // A file that cannot be opened now is not passed over: the next read tries it again.
            guard var walk = SegmentWalk(entry, of: self, after: progress.through) else { return progress }
            var isStopped = false
            try withExtendedLifetime(entry.segment) {
                while let (frame, payload) = walk.next() {
                    let mask = translate(frame.mask)
                    if let wanted, mask & wanted == 0 {
                        progress.through = frame.sequence
                        continue
                    }
                    let (origin, payload) = FrameOrigin.split(payload, frame.flags)
                    let isOtherStream = withinStream && stream != nil && stream != header.stream
                    let isTooMuch = progress.frames > 0 && payload.count > limitBytes - progress.bytes
                    guard progress.frames < limitFrames, !isOtherStream, !isTooMuch else {
                        isStopped = true
                        break
                    }
                    let (context, isUnknown) = walk.context(of: frame)
                    let view = FrameView(
                        sequence: frame.sequence, flags: frame.flags.subtracting(.adopted), mask: mask,
                        payload: payload, context: context, contextUnknown: isUnknown, stream: header.stream,
                        origin: origin)
                    guard try visit(view) else {
                        isStopped = true
                        break
                    }
                    if isUnknown { shelf.withLock { $0.counters.contextUnknownFrames += 1 } }
                    stream = header.stream
                    progress.through = frame.sequence
                    progress.frames += 1
                    progress.bytes += payload.count
                }
            }
            if !isStopped { progress.through = max(progress.through, walk.seenThrough) }
            walk.leaveBookmark(at: progress.through, isStopped: isStopped)
            if isStopped { return progress }
            if !walk.isFinished { break }
            if index == entries.count - 1 {
                // It may have been sealed, and a new one begun, since the list was taken.
                progress.reachedEnd = shelf.withLock { $0.entries.last?.segment === entry.segment }
                return progress
            }
        }
        progress.reachedEnd = true
        return progress
    }

    /// Counts what a segment has lost since it was sealed, once.
    func countDamage(in segment: Segment) {
        guard !segment.isDamageCounted.exchange(true, ordering: .relaxed) else { return }
        guard let (base, limit, owner) = image(of: segment) else { return }
        withExtendedLifetime((segment, owner)) {
            let bytes = FrameBytes(base: base, header: segment.header, limit: min(limit, segment.end ?? limit))
            let scan = SegmentScan(bytes, header: segment.header)
            shelf.withLock { shelf in
                guard let index = shelf.index(of: segment), let sealed = shelf.entries[index].summary else { return }
                let found = scan.summary
                shelf.counters.corruptFrames += sealed.frames - min(found.frames, sealed.frames)
                for output in shelf.cursors.keys {
                    let before = shelf.total(of: output, in: sealed, segment.header)
                    let after = shelf.total(of: output, in: found, segment.header)
                    shelf.counters.drop(before - min(after, before), of: output, .corrupt)
                }
                // The end and the last sequence stay: they are true, whatever is missing before them.
                shelf.entries[index].summary?.frames = found.frames
                shelf.entries[index].summary?.counted = found.counted
                shelf.entries[index].summary?.counts = found.counts
            }
        }
    }
}
