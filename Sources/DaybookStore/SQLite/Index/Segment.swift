/// A stretch of arrival numbers that is indexed as one: 64 blocks of 512.
enum Segment {
    /// Arrival numbers of a block, the smallest stretch that the index tells apart.
    static let blockSize: Int64 = 512
    /// Arrival numbers of a segment: a block for each bit of a 64-bit mask.
    static let size: Int64 = 64 * blockSize

    /// The segment of an arrival number.
    static func number(of id: Int64) -> Int64 { id / size }
}
