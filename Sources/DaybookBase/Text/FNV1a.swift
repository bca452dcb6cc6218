/// FNV-1a, for hash tables. Not collision-resistant.
///
/// Source: RFC 9923.
@usableFromInline
package struct FNV1a {
    @usableFromInline var state: UInt64 = 0xCBF2_9CE4_8422_2325

    @inlinable package init() {}

    /// The 64-bit hash so far.
    @inlinable package var value: UInt64 { state }

    @inlinable
    package mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

    /// The 32-bit hash, which is no part of the 64-bit one.
    package static func short(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
