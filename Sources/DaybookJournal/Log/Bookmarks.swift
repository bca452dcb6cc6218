/// Where the latest reads ended, so that the next ones need not walk the segment or the ring from the start.
struct Bookmarks: Sendable {
    struct Bookmark: Sendable {
        enum Place: Sendable {
            /// In the segment with this salt and first sequence.
            case segment(salt: UInt64, first: UInt64, offset: Int, context: JournalContext)
            /// In the ring of this generation.
            case ring(generation: Int, position: Int)
        }

        let sequence: UInt64
        let place: Place
    }

    private var marks: [Bookmark] = []
    private var next = 0
    /// About one per output.
    private static let capacity = 16

    func find(sequence: UInt64, in segment: Segment) -> (offset: Int, context: JournalContext)? {
        for mark in marks where mark.sequence == sequence {
            if case .segment(segment.header.salt, segment.header.firstSequence, let offset, let context) = mark.place {
                return (offset, context)
            }
        }
        return nil
    }

    func find(sequence: UInt64, inRing generation: Int) -> Int? {
        for mark in marks where mark.sequence == sequence {
            if case .ring(generation, let position) = mark.place { return position }
        }
        return nil
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

/// The last two segment files read into memory.
struct ImageShelf: Sendable {
    private var images: [(salt: UInt64, first: UInt64, image: SegmentImage)] = []

    func find(_ segment: Segment, bytes: Int) -> SegmentImage? {
        let header = segment.header
        return images.first {
            $0.salt == header.salt && $0.first == header.firstSequence && $0.image.byteCount >= bytes
        }?.image
    }

    mutating func put(_ image: SegmentImage, for segment: Segment) {
        forget(segment)
        if images.count == 2 { images.removeFirst() }
        images.append((segment.header.salt, segment.header.firstSequence, image))
    }

    mutating func forget(_ segment: Segment) {
        let header = segment.header
        images.removeAll { $0.salt == header.salt && $0.first == header.firstSequence }
    }

    mutating func removeAll() {
        images.removeAll()
    }
}
