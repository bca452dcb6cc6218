/// The secret key of a keyed hash: an installation's for sensitive values, a store's for contexts.
///
/// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, *SipHash: a fast short-input PRF*, 2012; the 128-bit
/// form of the reference implementation). Neither Foundation nor the standard library has a keyed hash on Linux. The
/// key is random and never leaves its place.
package struct HashKey: Sendable {
    package let k0: UInt64
    package let k1: UInt64

    package init(_ k0: UInt64, _ k1: UInt64) {
        self.k0 = k0
        self.k1 = k1
    }

    package static func random() -> HashKey { HashKey(.random(in: 0 ... .max), .random(in: 0 ... .max)) }

    /// The hash of the UTF-8 bytes: 32 hexadecimal digits, first byte first.
    package func hash(_ text: String) -> String {
        var text = text
        let (low, high) = text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
        return Hex.text(low.byteSwapped) + Hex.text(high.byteSwapped)
    }

    /// Proves to a receiver that the sender of this name is the same as before, and tells other receivers nothing. 32
    /// hexadecimal digits, in a domain apart from text hashes: no UTF-8 begins with that byte.
    package func proof(of name: String) -> String {
        let (low, high) = ([0xFF] + Array(name.utf8)).withUnsafeBytes { hash($0) }
        return Hex.text(low.byteSwapped) + Hex.text(high.byteSwapped)
    }

    package func hash(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        var state = State(k0, k1)
        let whole = bytes.count / 8 * 8
        for offset in stride(from: 0, to: whole, by: 8) {
            state.absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        for (shift, byte) in bytes[whole...].enumerated() { last |= UInt64(byte) << UInt64(8 * shift) }
        state.absorb(last)
        return state.finish()
    }

    private struct State {
        var v0, v1, v2, v3: UInt64

        init(_ k0: UInt64, _ k1: UInt64) {
            v0 = 0x736f_6d65_7073_6575 ^ k0
            v1 = 0x646f_7261_6e64_6f6d ^ k1 ^ 0xee
            v2 = 0x6c79_6765_6e65_7261 ^ k0
            v3 = 0x7465_6462_7974_6573 ^ k1
        }

        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> (UInt64, UInt64) {
            v2 ^= 0xee
            for _ in 0..<4 { round() }
            let low = v0 ^ v1 ^ v2 ^ v3
            v1 ^= 0xdd
            for _ in 0..<4 { round() }
            return (low, v0 ^ v1 ^ v2 ^ v3)
        }

        mutating func round() {
            v0 &+= v1
            v1 = v1.rotated(left: 13) ^ v0
            v0 = v0.rotated(left: 32)
            v2 &+= v3
            v3 = v3.rotated(left: 16) ^ v2
            v0 &+= v3
            v3 = v3.rotated(left: 21) ^ v0
            v2 &+= v1
            v1 = v1.rotated(left: 17) ^ v2
            v2 = v2.rotated(left: 32)
        }
    }
}

extension UInt64 {
    fileprivate func rotated(left bits: UInt64) -> UInt64 { self << bits | self >> (64 - bits) }
}
