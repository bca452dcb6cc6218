import DaybookBase

/// A 128-bit digest that names a record without a uid: equal content at the same position has the same name. Not
/// cryptographic.
///
/// MurmurHash3 x64-128 (Austin Appleby, public domain) with a 64-bit seed.
package enum Digest {
    /// 32 hexadecimal digits.
    package static func text(of bytes: [UInt8], seed: UInt64) -> String {
        var high = seed
        var low = seed
        bytes.withUnsafeBytes { buffer in
            var index = 0
            while buffer.count - index >= 16 {
                let first = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let second = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self))
                high = (rotate(high ^ mixFirst(first), 27) &+ low) &* 5 &+ 0x52DC_E729
                low = (rotate(low ^ mixSecond(second), 31) &+ high) &* 5 &+ 0x3849_5AB5
                index += 16
            }
            var tail: (UInt64, UInt64) = (0, 0)
            for (place, byte) in buffer[index...].enumerated() {
                if place < 8 {
                    tail.0 |= UInt64(byte) << UInt64(place * 8)
                } else {
                    tail.1 |= UInt64(byte) << UInt64((place - 8) * 8)
                }
            }
            high ^= mixFirst(tail.0)
            low ^= mixSecond(tail.1)
        }
        high ^= UInt64(bytes.count)
        low ^= UInt64(bytes.count)
        high &+= low
        low &+= high
        high = finish(high)
        low = finish(low)
        high &+= low
        low &+= high
        return Hex.text(high) + Hex.text(low)
    }

    private static func mixFirst(_ value: UInt64) -> UInt64 {
        rotate(value &* 0x87C3_7B91_1142_53D5, 31) &* 0x4CF5_AD43_2745_937F
    }

    private static func mixSecond(_ value: UInt64) -> UInt64 {
        rotate(value &* 0x4CF5_AD43_2745_937F, 33) &* 0x87C3_7B91_1142_53D5
    }

    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }

    private static func finish(_ value: UInt64) -> UInt64 {
        var value = (value ^ value >> 33) &* 0xFF51_AFD7_ED55_8CCD
        value = (value ^ value >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return value ^ value >> 33
    }
}
