import CThreads
import DaybookBase

/// The memory that every frame is written to first, over and over: the mapping of one file, or plain memory where there
/// is no disk.
///
/// A *position* counts the bytes written since the ring was made and only grows; where it lies in memory is its rest by the
/// capacity. A frame never goes over the end: what is left of a lap is skipped.
///
/// Safe to share: the fields never change. What lies in the memory is ordered by the frames' length words, and by the
/// rule that nothing is written over before the journal's cold lock was held to take it out of the shelf's marks.
final class Ring: Sendable {
    /// Bytes of one of the file's two headers: room for the longest, in whole pages.
    static let slotBytes = 28 << 10
    /// The most bytes of frames that a ring has.
    static let mostBytes = 64 << 20
    /// Where the frames begin in the file.
    static let headerBytes = 2 * slotBytes

    /// The frames' memory. Sound: the address never changes, and the memory is unmapped only when the last reference
    /// goes.
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    /// Bytes of the frames' memory, a multiple of 4 KiB.
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

    /// A ring of plain memory. Its pages are had from the system as they are written.
    static func inMemory(capacity: Int, files: any JournalFileSystem) -> Ring {
        let base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 4096)
        return Ring(base: base, capacity: capacity, file: nil, files: files)
    }

    /// A ring in a file, with all its blocks reserved, so that a store never meets a full disk. What the file held is
    /// given up.
    ///
    /// - Throws: what the file system refused.
    static func mapped(at path: String, header: SegmentHeader, capacity: Int, files: any JournalFileSystem)
        throws(JournalFileError) -> Ring
    {
        let file = try files.open(path, .readWriteCreating)
        do throws(JournalFileError) {
            let bytes = headerBytes + capacity
            if try files.size(file) > bytes { try files.truncate(file, bytes: bytes) }
            try files.allocate(file, bytes: bytes)
            let start = try files.map(file, bytes: bytes)
            // The frames of an earlier launch have another salt, and do not pass for this one's.
            let ring = Ring(base: start + headerBytes, capacity: capacity, file: file, files: files)
            ring.clearHeaders()
            // Twice, so that damage to one is no loss.
            ring.write(header)
            ring.write(header)
            #if !os(Linux)
                // Before anybody writes: nothing else makes the pages ready here.
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

    /// Makes pages of the first lap ready to be written, in the background.
    func warm(_ positions: Range<Int>) {
        if file != nil { daybook_populate(base + positions.lowerBound, positions.count) }
    }

    /// Says what the outputs and the context are from a sequence on, for the next launch. The newest two are kept, so that
    /// a death in the middle leaves the one before.
    func write(_ header: SegmentHeader) {
        guard file != nil else { return }
        let bytes = header.encoded()
        let slots = Self.headers(in: UnsafeRawBufferPointer(start: base - Self.headerBytes, count: Self.headerBytes))
        // The one that is older, or damaged.
        let isFirst = (slots[0]?.firstSequence ?? 0) <= (slots[1]?.firstSequence ?? 0)
        let slot = base - Self.headerBytes + (isFirst ? 0 : Self.slotBytes)
        bytes.withUnsafeBytes { slot.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(slot), byteCount: $0.count) }
    }

    /// Whether the file still begins with what a launch wrote: another that opens the directory makes it its own.
    func isBegun(by salt: UInt64) -> Bool {
        let slots = Self.headers(in: UnsafeRawBufferPointer(start: base - Self.headerBytes, count: Self.headerBytes))
        return file != nil && slots.contains { $0?.salt == salt }
    }

    /// Says that there is nothing here which the next launch would need.
    func clearHeaders() {
        guard file != nil else { return }
        (base - Self.headerBytes).storeBytes(of: 0, as: UInt64.self)
        (base - Self.headerBytes + Self.slotBytes).storeBytes(of: 0, as: UInt64.self)
    }

    /// The headers at the front of a ring's file; `nil` for a place without a valid one.
    static func headers(in file: UnsafeRawBufferPointer) -> [SegmentHeader?] {
        [0, slotBytes].map { offset in
            file.count >= headerBytes ? SegmentHeader.decode(file, at: offset) : nil
        }
    }

    /// Where a position lies in memory.
    func address(_ position: Int) -> UnsafeMutableRawPointer { base + position % capacity }

    /// The payload of a frame that stands there.
    func payload(of frame: Frame, at position: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: address(position) + FrameLayout.headerBytes, count: frame.payloadBytes)
    }

    /// The frame at a position, or at the next lap's beginning if the lap ends there, which `position` is moved to. `nil` if
    /// none was published. Only for positions that are not written over meanwhile.
    func frame(at position: inout Int) -> Frame? {
        while true {
            let start = UnsafeRawPointer(address(position))
            let length = start.publishedLength
            if length == 0 { return nil }
            if length != FrameLayout.lapEnd { return Frame(header: start, length: Int(length), at: position) }
            position = (position / capacity + 1) * capacity
        }
    }
}

/// Where a frame stands in the ring.
struct RingMark: Equatable, Sendable {
    var position: Int
    /// The sequence of the frame there, or of the next one that will be.
    var sequence: UInt64
}

/// What the shelf knows of the ring beside its memory.
struct RingMarks: Sendable {
    private(set) var ring: Ring
    /// Tells rings of one journal apart.
    private(set) var generation = 0
    /// Places of frames in order: the first is the oldest that can be read, the last is where the log is.
    private(set) var marks: [RingMark]
    /// How many marks there are, at most.
    private static let resolution = 32

    init(_ ring: Ring, sequence: UInt64) {
        self.ring = ring
        marks = [RingMark(position: 0, sequence: sequence)]
    }

    /// The oldest frame that can be read.
    var start: RingMark { marks[0] }
    /// The first frame that the log lacks.
    var written: RingMark { marks[marks.count - 1] }

    /// Goes on with another ring, whose first frame is this one.
    mutating func replace(by ring: Ring, sequence: UInt64) {
        self.ring = ring
        generation += 1
        marks = [RingMark(position: 0, sequence: sequence)]
    }

    /// Notes that the log has everything before a place.
    mutating func write(through mark: RingMark) {
        if marks.count > 1, mark.position - marks[marks.count - 2].position < ring.capacity / Self.resolution {
            marks[marks.count - 1] = mark
        } else {
            marks.append(mark)
        }
    }

    /// Gives up what lies before a position and a bit more, as far as the log has it. Returns whether all of it could be.
    mutating func release(before position: Int) -> Bool {
        if start.position >= position { return true }
        let wanted = max(position, start.position + ring.capacity / 8)
        let index = marks.firstIndex { $0.position >= wanted } ?? marks.count - 1
        marks.removeFirst(index)
        return start.position >= position
    }

    /// Gives up what lies before the frames after a sequence, which the log has.
    mutating func release(through sequence: UInt64) {
        guard start.sequence <= sequence else { return }
        let index = marks.firstIndex { $0.sequence > sequence } ?? marks.count - 1
        marks.removeFirst(index)
    }

    /// Gives up everything before a place, whether the log has it or not.
    mutating func skip(to mark: RingMark) { marks = [mark] }

    /// From where to look for the first frame after a sequence, if that is still here.
    func mark(after sequence: UInt64) -> RingMark? {
        marks.last { $0.sequence <= sequence &+ 1 }
    }
}
