import CChecksum
import Synchronization

/// Where the fields of a frame stand. All integers are little-endian. See docs/formats/journal.md.
@usableFromInline
enum FrameLayout {
    /// Frames start at multiples of this: a cache line, so that two writers' stores do not meet in one.
    @inlinable static var alignment: Int { 64 }
    /// `length` u32 · `crc` u32 · `sequence` u64 · `mask` u64 · `flags` u16 · `table` u16 · `context` u32, then payload.
    @inlinable static var headerBytes: Int { 32 }

    @inlinable static var crcOffset: Int { 4 }
    @inlinable static var sequenceOffset: Int { 8 }
    @inlinable static var maskOffset: Int { 16 }
    @inlinable static var flagsOffset: Int { 24 }
    @inlinable static var tableOffset: Int { 26 }
    @inlinable static var contextOffset: Int { 28 }

    /// The bytes that a frame of this payload takes in the segment.
    @inlinable
    static func span(payload: Int) -> Int {
        (headerBytes &+ payload &+ (alignment &- 1)) & ~(alignment &- 1)
    }

    @inlinable
    static func aligned(_ bytes: Int) -> Int {
        (bytes &+ (alignment &- 1)) & ~(alignment &- 1)
    }

    /// A stored checksum is rotated and offset, so that a checksum over bytes that hold checksums stays strong.
    @inlinable
    static func masked(_ crc: UInt32) -> UInt32 {
        ((crc >> 15) | (crc << 17)) &+ 0xa282_ead8
    }

    /// The checksum state after the segment's salt: what every frame of the segment continues from.
    static func seed(salt: UInt64) -> UInt32 {
        withUnsafeBytes(of: salt.littleEndian) { daybook_crc32c(0, $0.baseAddress, 8) }
    }
}

extension UnsafeMutableRawPointer {
    /// A frame's length word, which a writer publishes and readers watch.
    ///
    /// Sound because `Atomic<UInt32>` has the layout of `UInt32`, the word is 4-byte aligned (frames are 64-byte
    /// aligned), and every access to a length word of live memory goes through here.
    @inlinable
    var lengthWord: UnsafeMutablePointer<Atomic<UInt32>> {
        assumingMemoryBound(to: Atomic<UInt32>.self)
    }
}

extension UnsafeRawPointer {
    @inlinable
    var lengthWord: UnsafePointer<Atomic<UInt32>> {
        assumingMemoryBound(to: Atomic<UInt32>.self)
    }
}
