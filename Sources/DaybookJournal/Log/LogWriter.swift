import DaybookBase

/// What became of one step of writing.
enum WriteStep: Sendable {
    /// A run of frames was copied.
    case wrote
    /// There is nothing to copy.
    case upToDate
    /// The next frame begins a segment, and the caller may not begin one.
    case needsSegment
    /// The cap is reached, and nothing may be given up for a new segment.
    case refused
    /// The disk cannot be written, or is not to be tried now.
    case failed
}

/// Copies frames from the ring to the end of the log, and begins its segment files.
///
/// Guards the segment that is open by the log's lock, which is held while bytes are written, and taken after the hot one,
/// before the cold one. Safe to share.
final class LogWriter: Sendable {
    private struct OpenSegment: Sendable {
        let segment: Segment
        let file: OpenFile
        /// How the last write left the file: nobody else writes to it.
        var mark: FileMark?
        /// Where the next frame goes.
        var offset: Int
        var summary: SegmentSummary
    }

    /// The most bytes that are copied in one write, but for a frame that is longer.
    private static let runBytes = 128 << 10

    /// `nil` before the first frame is written, and after a segment was ended.
    private let open = Mutex<OpenSegment?>(nil)
    private let shelf: Shelf
    private let directory: JournalDirectory
    private let options: JournalOptions

    init(_ shelf: Shelf, _ directory: JournalDirectory, _ options: JournalOptions) {
        self.shelf = shelf
        self.directory = directory
        self.options = options
    }

    /// Whether a segment takes frames.
    var isOpen: Bool { open.withLock { $0 != nil } }

    /// Copies everything that was appended before the call; `upToDate` if it could. For the background alone: it makes files.
    ///
    /// - Parameter evicting: whether a new segment may cost the oldest ones.
    /// - Returns: also whether one did.
    func writeAll(evicting: Bool) -> (step: WriteStep, hasEvicted: Bool) {
        let (generation, capacity) = (shelf.ringGeneration, shelf.ring.capacity)
        var step = WriteStep.wrote
        var hasEvicted = false
        // More than the ring held when this began; what is appended meanwhile comes with the next call.
        for _ in 0...(2 * capacity / Self.runBytes + 16) where step == .wrote {
            step = open.withLock { open in
                guard shelf.ringGeneration == generation else { return .failed }
                return writeRun(&open, mayBegin: true, evicting: evicting, hasEvicted: &hasEvicted)
            }
        }
        return (step == .wrote ? .upToDate : step, hasEvicted)
    }

    /// Copies one run, which a log call may do: without a new file. `nil` while another thread writes.
    func writeRunIfIdle() -> WriteStep? {
        open.withLockIfAvailable { open in
            var hasEvicted = false
            return writeRun(&open, mayBegin: false, evicting: false, hasEvicted: &hasEvicted)
        }
    }

    /// Takes no more frames into the open segment. Its file stays open until it is synced and sealed.
    func end() { open.withLock { end(&$0) } }

    /// Calls `body` while nothing is written; it ends the segment that is open, if that is the one to end.
    func whileIdle<Result>(_ body: (_ end: (Segment) -> Void) -> Result) -> Result {
        open.withLock { open in
            body { segment in if open?.segment === segment { end(&open) } }
        }
    }

    /// Ends the open segment after `body`, unless another thread writes. Returns whether it could.
    func endIfIdle(after body: () -> Void) -> Bool {
        open.withLockIfAvailable { open in
            body()
            // What follows is not what a reader of the segment would expect next.
            end(&open)
            return true
        } ?? false
    }

    private func end(_ open: inout OpenSegment?) {
        guard let current = open else { return }
        open = nil
        shelf.end(current.segment, fileBytes: current.offset)
    }

    /// Copies one run of frames: until the lap's end, another table, the segment's end, or the last frame.
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
            // One that is longer than a run is a run by itself; the segment has room for it.
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

    /// Whether the next frame may go into the open segment.
    private func isInPlace(_ open: OpenSegment?, _ frame: Frame, mayBegin: Bool) -> Bool {
        guard let open, frame.tableVersion == open.segment.header.tableVersion else { return false }
        // One that somebody has touched takes no more: the next sync looks at what is left in it.
        guard open.file.mark == open.mark else { return false }
        // Who may not make a file goes on in this one as long as a reader takes it.
        return open.offset + FrameLayout.aligned(frame.length) <= (mayBegin ? options.segmentBytes : longestSegment)
    }

    /// No segment of this journal is longer: what a burst may add before the background begins the next one.
    private var longestSegment: Int { min(2 * options.segmentBytes, SegmentImage.longest) }

    /// Makes the file of the next segment.
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
            // What somebody else has put there may be a link to another file.
            directory.clear(path)
            let file = try OpenFile(path, .readWriteEmptied, directory.system.files)
            let front = header.front()
            do throws(JournalFileError) {
                try directory.system.files.writeAll(file.file, front, at: 0)
            } catch {
                try? directory.system.files.remove(path)  // the error that counts is thrown on
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
