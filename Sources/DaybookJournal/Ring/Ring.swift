import CThreads
import DaybookBase

/// The memory that every frame is written to first: a mapped file, or plain memory if the directory is unusable.
///
/// A *position* counts all bytes ever written; its remainder by the capacity is the offset in memory. Frames do not
/// wrap: the rest of a lap is skipped.
///
/// Thread-safe: the fields are immutable, frames are published by their length words, and memory is only overwritten
/// after it was released from the marks under the shelf's lock.
final class Ring: Sendable {
    /// Bytes of one of the file's two headers: the longest, in whole pages.
    static let slotBytes = 28 << 10
    /// The most bytes of frames.
    static let mostBytes = 64 << 20
    static let headerBytes = 2 * slotBytes

    /// The frames' memory. Sound: the address never changes, and the memory is unmapped with the last reference.
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    /// A multiple of 4 KiB.
    let capacity: Int
    /// `nil` for plain memory.
    let file: JournalFile?
    private let files: any JournalFileSystem

    private init(base: UnsafeMutableRawPointer, capacity: Int, file: JournalFile?, files: any JournalFileSystem) {
        self.base = base
        self.capacity = capacity
        self.file = file
        self.files = files
        base.clearLength()
    }

    deinit {
        if let file {
            files.unmap(base - Self.headerBytes, bytes: Self.headerBytes + capacity)
            files.close(file)
        } else {
            base.deallocate()
        }
    }

    /// The system provides the pages at the first write.
    static func inMemory(capacity: Int, files: any JournalFileSystem) -> Ring {
        let base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 4096)
        return Ring(base: base, capacity: capacity, file: nil, files: files)
    }

    /// A ring in a file, whose content is discarded. All blocks are reserved, so that a store never meets a full disk.
    ///
    /// - Throws: What the file system refused.
    static func mapped(at path: String, header: SegmentHeader, capacity: Int, files: any JournalFileSystem)
        throws(JournalFileError) -> Ring
    {
        let file = try files.open(path, .readWriteCreating)
        do throws(JournalFileError) {
            let bytes = headerBytes + capacity
            if try files.size(file) > bytes { try files.truncate(file, bytes: bytes) }
            try files.allocate(file, bytes: bytes)
            let start = try files.map(file, bytes: bytes)
            // Frames of earlier launches have another salt, so they are not valid here.
            let ring = Ring(base: start + headerBytes, capacity: capacity, file: file, files: files)
            ring.clearHeaders()
            // Twice, in case one is damaged.
            ring.write(header)
            ring.write(header)
            #if !os(Linux)
                // Touch the pages before the first append, since `warm` does nothing here.
                for offset in stride(from: 0, to: capacity, by: 4096) {
                    (ring.base + offset).storeBytes(of: 0, as: UInt32.self)
                }
            #endif
            return ring
        } catch {
            files.close(file)
            throw error
        }
    }

    /// Prefaults pages of the first lap, in the background.
    func warm(_ positions: Range<Int>) {
        if file != nil { daybook_populate(base + positions.lowerBound, positions.count) }
    }

    /// Writes the outputs and context as of a sequence, for the next launch. It replaces the older header, so that a
    /// crash in between leaves the newer one.
    func write(_ header: SegmentHeader) {
        guard file != nil else { return }
        let bytes = header.encoded()
        let slots = Self.headers(in: UnsafeRawBufferPointer(start: base - Self.headerBytes, count: Self.headerBytes))
        // The older one, or a damaged one.
        let isFirst = (slots[0]?.firstSequence ?? 0) <= (slots[1]?.firstSequence ?? 0)
        let slot = base - Self.headerBytes + (isFirst ? 0 : Self.slotBytes)
        bytes.withUnsafeBytes { slot.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(slot), byteCount: $0.count) }
    }

    /// Whether the headers are still of this launch; another opener replaces them.
    func isBegun(by salt: UInt64) -> Bool {
        let slots = Self.headers(in: UnsafeRawBufferPointer(start: base - Self.headerBytes, count: Self.headerBytes))
        return file != nil && slots.contains { $0?.salt == salt }
    }

    /// Tells the next launch that it needs nothing from this ring.
    func clearHeaders() {
        guard file != nil else { return }
        (base - Self.headerBytes).storeBytes(of: 0, as: UInt64.self)
        (base - Self.headerBytes + Self.slotBytes).storeBytes(of: 0, as: UInt64.self)
    }

    /// The headers of a ring's file; `nil` for an invalid one.
    static func headers(in file: UnsafeRawBufferPointer) -> [SegmentHeader?] {
        [0, slotBytes].map { offset in
            file.count >= headerBytes ? SegmentHeader.decode(file, at: offset) : nil
        }
    }

    func address(_ position: Int) -> UnsafeMutableRawPointer { base + position % capacity }

    func payload(of frame: Frame, at position: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: address(position) + FrameLayout.headerBytes, count: frame.payloadBytes)
    }

    /// The frame at a position. If the lap ends there, moves `position` to the next lap. `nil` if no frame was
    /// published. The caller ensures that the memory is not overwritten meanwhile.
    func frame(at position: inout Int) -> Frame? {
        while true {
            let start = UnsafeRawPointer(address(position))
            let length = start.publishedLength
            if length == 0 { return nil }
            if length != FrameLayout.lapEnd { return Frame(header: start, length: Int(clamping: length), at: position) }
            position = (position / capacity + 1) * capacity
        }
    }
}

struct RingMark: Equatable, Sendable {
    var position: Int
    /// The sequence of the frame there, or of the next one to be written.
    var sequence: UInt64
}

/// What the ring holds, and how far the log is.
struct RingMarks: Sendable {
    private(set) var ring: Ring
    private(set) var generation = 0
    /// Places of frames in order, from the oldest readable one to where the log is.
    private(set) var marks: [RingMark]
    private static let resolution = 32

    init(_ ring: Ring, sequence: UInt64) {
        self.ring = ring
        marks = [RingMark(position: 0, sequence: sequence)]
    }

    var start: RingMark { marks[0] }
    /// The first frame that the log lacks.
    var written: RingMark { marks[marks.count - 1] }

    /// Moves to another ring, whose first frame has this sequence.
    mutating func replace(by ring: Ring, sequence: UInt64) {
        self.ring = ring
        generation += 1
        marks = [RingMark(position: 0, sequence: sequence)]
    }

    /// Records how far the log is.
    mutating func write(through mark: RingMark) {
        if marks.count > 1, mark.position - marks[marks.count - 2].position < ring.capacity / Self.resolution {
            marks[marks.count - 1] = mark
        } else {
            marks.append(mark)
        }
    }

    /// Releases what the log has before a position, and at least an eighth of the ring. Returns whether all of it was.
    mutating func release(before position: Int) -> Bool {
        if start.position >= position { return true }
        let wanted = max(position, start.position + ring.capacity / 8)
        let index = marks.firstIndex { $0.position >= wanted } ?? marks.count - 1
        marks.removeFirst(index)
        return start.position >= position
    }

    /// Releases what the log has through a sequence.
    mutating func release(through sequence: UInt64) {
        guard start.sequence <= sequence else { return }
        let index = marks.firstIndex { $0.sequence > sequence } ?? marks.count - 1
        marks.removeFirst(index)
    }

    /// Drops everything before a place, even if the log lacks it.
    mutating func skip(to mark: RingMark) { marks = [mark] }

    /// The nearest mark from which to find the frame after a sequence; `nil` if that is gone.
    func mark(after sequence: UInt64) -> RingMark? {
        marks.last { $0.sequence <= sequence &+ 1 }
    }
}
