/// Where the latest reads ended, so that the next one goes on from there and does not walk its segment from the front.
struct Bookmarks: Sendable {
    struct Bookmark: Sendable {
        /// Everything through this was seen.
        let sequence: UInt64
        let segment: ObjectIdentifier
        /// Of the segment, so that another one at the same address is not taken for it.
        let salt: UInt64
        let offset: Int
        let context: JournalContext
    }

    private var marks: [Bookmark] = []
    private var next = 0
    /// One for each output that reads, roughly.
    private static let capacity = 16

    func find(sequence: UInt64, in segment: Segment) -> Bookmark? {
        marks.last {
            $0.sequence == sequence && $0.segment == ObjectIdentifier(segment) && $0.salt == segment.header.salt
        }
    }

    mutating func put(_ mark: Bookmark) {
        if let same = marks.firstIndex(where: { $0.sequence == mark.sequence }) {
            marks[same] = mark
        } else if marks.count < Self.capacity {
            marks.append(mark)
        } else {
            marks[next] = mark
            next = (next + 1) % Self.capacity
        }
    }
}

/// The latest segment files that were read into memory: two at most.
struct ImageShelf: Sendable {
    private var images: [(segment: ObjectIdentifier, salt: UInt64, image: SegmentImage)] = []

    func find(_ segment: Segment) -> SegmentImage? {
        images.first { $0.segment == ObjectIdentifier(segment) && $0.salt == segment.header.salt }?.image
    }

    mutating func put(_ image: SegmentImage, for segment: Segment) {
        if images.count == 2 { images.removeFirst() }
        images.append((ObjectIdentifier(segment), segment.header.salt, image))
    }

    mutating func removeAll() {
        images.removeAll()
    }
}
