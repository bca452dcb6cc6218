import CChecksum
import Testing

struct ChecksumTests {
    private func both(_ bytes: [UInt8]) -> (UInt32, UInt32) {
        bytes.withUnsafeBytes {
            (
                daybook_crc32c(0, $0.baseAddress, $0.count), daybook_crc32c_table(0, $0.baseAddress, $0.count)
            )
        }
    }

    /// RFC 3720, appendix B.4; its digits are in byte order.
    @Test("CRC-32C matches the vectors of RFC 3720") func matchesStandardVectors() {
        let command: [UInt8] =
            [0x01, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14]
            + [0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0]
        let vectors: [([UInt8], UInt32)] = [
            ([UInt8](repeating: 0, count: 32), 0x8a91_36aa),
            ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43),
            (Array(0..<32), 0x46dd_794e),
            (Array((0..<32).reversed()), 0x113f_db5c),
            (command, 0xd996_3a56),
        ]
        for (bytes, expected) in vectors {
            #expect(both(bytes).0 == expected)
            #expect(both(bytes).1 == expected)
        }
    }

    @Test("Hardware and table checksums agree for every length and alignment") func hardwareEqualsTable() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
        for start in 0..<9 {
            for length in 0..<(bytes.count - start) {
                let (hardware, table) = both(Array(bytes[start..<start + length]))
                #expect(hardware == table)
            }
        }
    }

    @Test("A checksum can be continued from a prefix") func checksumContinues() {
        let bytes = Array("the quick brown fox jumps over the lazy dog".utf8)
        for cut in 0...bytes.count {
            let front = Array(bytes[..<cut]).withUnsafeBytes { daybook_crc32c(0, $0.baseAddress, $0.count) }
            let whole = Array(bytes[cut...]).withUnsafeBytes { daybook_crc32c(front, $0.baseAddress, $0.count) }
            #expect(whole == both(bytes).0)
        }
    }

    @Test("A frame's checksum covers its length and all bytes after the checksum") func frameChecksumCoverage() {
        let frame = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for length in 32...200 {
            let crc = frame.withUnsafeBytes { daybook_crc32c_frame(77, $0.baseAddress, UInt32(length)) }
            var expected = withUnsafeBytes(of: UInt32(length).littleEndian) {
                daybook_crc32c_table(77, $0.baseAddress, 4)
            }
            expected = frame.withUnsafeBytes {
                daybook_crc32c_table(expected, $0.baseAddress.map { $0 + 8 }, length - 8)
            }
            #expect(crc == expected)
        }
    }
}
