import DaybookBase

enum WriteStep: Sendable {
    case wrote
    case upToDate
    /// The next frame needs a new segment, which the caller may not begin.
    case needsSegment
    /// The cap is reached, and nothing may be evicted.
    case refused
    /// The disk cannot be written, or must not be tried now.
    case failed
}

/// Copies frames from the ring to the end of the log, and creates its segment files.
///
/// Thread-safe: its lock guards the open segment, and is held during writes.
final class LogWriter: Sendable {
    private struct OpenSegment: Sendable {
        let segment: Segment
        let file: OpenFile
        /// The file's state after our last write.
        var mark: FileMark?
        var offset: Int
        var summary: SegmentSummary
    }

    /// The most bytes of one write, unless a single frame is longer.
    private static let runBytes = 128 << 10

    /// `nil` between segments.
    private let open = Mutex<OpenSegment?>(nil)
    private let shelf: Shelf
    private let directory: JournalDirectory
    private let options: JournalOptions

    init(_ shelf: Shelf, _ directory: JournalDirectory, _ options: JournalOptions) {
        self.shelf = shelf
        self.directory = directory
        self.options = options
    }

    var isOpen: Bool { open.withLock { $0 != nil } }

    /// Copies everything appended before the call; `upToDate` on success. For the background only: it creates files.
    ///
    /// - Parameter evicting: Whether a new segment may evict the oldest ones.
    /// - Returns: Also whether one did.
    func writeAll(evicting: Bool) -> (step: WriteStep, hasEvicted: Bool) {
        let (generation, capacity) = (shelf.ringGeneration, shelf.ring.capacity)
        var step = WriteStep.wrote
        var hasEvicted = false
        // Enough runs for what the ring held at the start. Later frames wait for the next call.
        for _ in 0...(2 * capacity / Self.runBytes + 16) where step == .wrote {
            step = open.withLock { open in
                guard shelf.ringGeneration == generation else { return .failed }
                return writeRun(&open, mayBegin: true, evicting: evicting, hasEvicted: &hasEvicted)
            }
        }
        return (step == .wrote ? .upToDate : step, hasEvicted)
    }

    /// Copies one run without creating a file, so that log calls may use it. `nil` while another thread writes.
    func writeRunIfIdle() -> WriteStep? {
        open.withLockIfAvailable { open in
            var hasEvicted = false
            return writeRun(&open, mayBegin: false, evicting: false, hasEvicted: &hasEvicted)
        }
    }

    /// Ends the open segment. Its file stays open until it is synced and sealed.
    func end() { open.withLock { end(&$0) } }

    /// Calls `body` while nothing is written. `end` ends the open segment if it is the given one.
    func whileIdle<Result>(_ body: (_ end: (Segment) -> Void) -> Result) -> Result {
        open.withLock { open in
            body { segment in if open?.segment === segment { end(&open) } }
        }
    }

    /// Ends the open segment after `body`; `false` if another thread is writing.
    func endIfIdle(after body: () -> Void) -> Bool {
        open.withLockIfAvailable { open in
            body()
            // The next frame does not follow the segment's last.
            end(&open)
            return true
        } ?? false
    }

    private func end(_ open: inout OpenSegment?) {
        guard let current = open else { return }
        open = nil
        shelf.end(current.segment, fileBytes: current.offset)
    }

    /// Copies frames up to the end of the lap, table or segment, or the last frame.
    private func writeRun(
        _ open: inout OpenSegment?, mayBegin: Bool, evicting: Bool, hasEvicted: inout Bool
    ) -> WriteStep {
        let (ring, written, nextTable, isFailed) = shelf.nextRun()
        var mark = written
        guard let first = ring.frame(at: &mark.position) else { return .upToDate }
        guard let files = directory.files, !isFailed else { return .failed }
        if !isInPlace(open, first, mayBegin: mayBegin) {
            guard mayBegin else { return .needsSegment }
            end(&open)
            let step = begin(&open, first: first.sequence, files, evicting: evicting, hasEvicted: &hasEvicted)
            guard step == .wrote else { return step }
        }
        guard var current = open else { return .failed }
        let lapEnd = (mark.position / ring.capacity + 1) * ring.capacity
        let most = min(Self.runBytes, (mayBegin ? options.segmentBytes : longestSegment) - current.offset)
        let start = mark.position
        var end = mark
        while end.position < lapEnd, end.sequence < nextTable {
            let here = end.position
            // A frame longer than a run is copied alone; the segment has room for it.
            guard var frame = ring.frame(at: &end.position), end.position == here,
                here == start || frame.end - start <= most
            else {
                end.position = here
                break
            }
            end = RingMark(position: frame.end, sequence: frame.sequence &+ 1)
            frame.offset += current.offset - start
            current.summary.add(frame, payload: ring.payload(of: frame, at: here))
        }
        let bytes = UnsafeRawBufferPointer(start: ring.address(start), count: end.position - start)
        do throws(JournalFileError) {
            try directory.system.files.writeAll(current.file.file, bytes, at: current.offset)
        } catch {
            let mark = current.file.mark
            open?.mark = mark
            shelf.update(current.segment) { $0.mark = mark }
            shelf.fail(with: error)
            return .failed
        }
        current.offset += bytes.count
        current.mark = current.file.mark
        open = current
        shelf.write(through: end, current.segment, current.summary, current.mark, bytes: current.offset)
        return .wrote
    }

    private func isInPlace(_ open: OpenSegment?, _ frame: Frame, mayBegin: Bool) -> Bool {
        guard let open, frame.tableVersion == open.segment.header.tableVersion else { return false }
        // A file changed by others takes no more frames. The next sync inspects it.
        guard open.file.mark == open.mark else { return false }
        // A segment may grow to the longest that readers accept, if no file may be created.
        return open.offset + FrameLayout.aligned(frame.length) <= (mayBegin ? options.segmentBytes : longestSegment)
    }

    /// How far a burst may fill a segment before the background begins the next.
    private var longestSegment: Int { min(2 * options.segmentBytes, SegmentImage.longest) }

    private func begin(
        _ open: inout OpenSegment?, first: UInt64, _ files: JournalFiles, evicting: Bool, hasEvicted: inout Bool
    ) -> WriteStep {
        let reservation = shelf.reserve(options.segmentBytes, evicting: evicting)
        shelf.isAtCap = reservation == .refused
        guard reservation != .refused else { return .refused }
        if reservation == .evicted { hasEvicted = true }
        defer { shelf.endReservation(of: options.segmentBytes) }
        guard let header = shelf.header(first: first) else { return .failed }
        let name = JournalFiles.segmentName(first: first)
        let path = files.path(name)
        do throws(JournalFileError) {
            // It may be a link to another file.
            directory.clear(path)
            let file = try OpenFile(path, .readWriteEmptied, directory.system.files)
            let front = header.front()
            do throws(JournalFileError) {
                try directory.system.files.writeAll(file.file, front, at: 0)
            } catch {
                try? directory.system.files.remove(path)  // the error that counts is rethrown
                throw error
            }
            let segment = Segment(header: header, storage: .file(name: name))
            let summary = SegmentSummary(of: header)
            let mark = file.mark
            open = OpenSegment(segment: segment, file: file, mark: mark, offset: front.count, summary: summary)
            shelf.add(
                Shelf.Entry(
                    segment: segment, summary: summary, fileBytes: options.segmentBytes, isOpen: true,
                    isSynced: false, file: file, mark: mark))
            return .wrote
        } catch {
            shelf.fail(with: error)
            return .failed
        }
    }
}
