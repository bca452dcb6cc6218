import CZlib
import DaybookCollector
import DaybookOTLP
import Testing

/// Compresses for tests: gzip, or zlib where `isGzip` is false.
func deflated(_ bytes: [UInt8], isGzip: Bool = true) -> [UInt8] {
    var stream = z_stream()
    guard daybook_deflate_init(&stream, 9, isGzip ? 15 + 16 : 15) == Z_OK else { return [] }
    defer { deflateEnd(&stream) }
    var input = bytes
    return input.withUnsafeMutableBufferPointer { source in
        [UInt8](unsafeUninitializedCapacity: Int(deflateBound(&stream, uLong(source.count))) + 64) { target, count in
            stream.next_in = source.baseAddress
            stream.avail_in = uInt(source.count)
            stream.next_out = target.baseAddress
            stream.avail_out = uInt(target.count)
            #expect(deflate(&stream, Z_FINISH) == Z_STREAM_END)
            count = Int(stream.total_out)
        }
    }
}

@Suite struct InflateTests {
    private let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0 >> 3) }

    @Test func gzipAndZlibComeBack() throws {
        #expect(try Inflate.bytes(deflated(bytes), limit: 1 << 20) == bytes)
        #expect(try Inflate.bytes(deflated(bytes, isGzip: false), limit: 1 << 20) == bytes)
        #expect(try Inflate.bytes(deflated([]), limit: 0) == [])
    }

    @Test func severalMembersAreOneBody() throws {
        #expect(try Inflate.bytes(deflated([1, 2]) + deflated([3]), limit: 10) == [1, 2, 3])
    }

    @Test func limitIsExact() throws {
        #expect(try Inflate.bytes(deflated(bytes), limit: bytes.count).count == bytes.count)
        #expect(throws: Inflate.Failure.tooLarge(limit: bytes.count - 1)) {
            try Inflate.bytes(deflated(bytes), limit: bytes.count - 1)
        }
    }

    @Test func damageIsAnError() {
        let whole = deflated(bytes)
        #expect(throws: Inflate.Failure.self) { try Inflate.bytes([], limit: 10) }
        #expect(throws: Inflate.Failure.self) { try Inflate.bytes([1, 2, 3], limit: 10) }
        #expect(throws: Inflate.Failure.self) { try Inflate.bytes(Array(whole.dropLast()), limit: 1 << 20) }
        #expect(throws: Inflate.Failure.self) { try Inflate.bytes(whole + [9], limit: 1 << 20) }
        var flipped = whole
        flipped[whole.count / 2] ^= 0xFF
        #expect(throws: Inflate.Failure.self) { try Inflate.bytes(flipped, limit: 1 << 20) }
    }
}
