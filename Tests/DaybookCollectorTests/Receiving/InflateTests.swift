import CZlib
import CZstd
import DaybookCollector
import DaybookOTLP
import DaybookTrials
import Testing

/// Compresses to gzip, or to zlib if `isGzip` is false.
func deflated(_ bytes: [UInt8], isGzip: Bool = true, level: Int32 = 9) -> [UInt8] {
    deflated(bytes, windowBits: isGzip ? 15 + 16 : 15, level)
}

/// Compresses without a header, as Apple's and .NET's compressors do.
func deflatedRaw(_ bytes: [UInt8], level: Int32 = 9) -> [UInt8] { deflated(bytes, windowBits: -15, level) }

private func deflated(_ bytes: [UInt8], windowBits: Int32, _ level: Int32) -> [UInt8] {
    var stream = z_stream()
    guard daybook_deflate_init(&stream, level, windowBits) == Z_OK else { return [] }
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

/// A Zstandard frame.
/// - Parameter windowLog: Binary logarithm of the memory to read it; 0 is the level's default.
func zstandard(_ bytes: [UInt8], level: Int32 = 3, windowLog: Int32 = 0) -> [UInt8] {
    guard let context = ZSTD_createCCtx() else { return [] }
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog)
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    return [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count) + 64) { target, count in
        count = ZSTD_compress2(context, target.baseAddress, target.count, bytes, bytes.count)
        #expect(ZSTD_isError(count) == 0)
    }
}

@Suite struct InflateTests {
    private let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0 >> 3) }

    @Test("Inflates gzip and zlib data") func inflatesGzipAndZlib() throws {
        #expect(try Inflate.bytes(deflated(bytes), limit: 1 << 20) == bytes)
        #expect(try Inflate.bytes(deflated(bytes, isGzip: false), limit: 1 << 20) == bytes)
        #expect(try Inflate.bytes(deflated([]), limit: 0) == [])
    }

    @Test("Several gzip members form one body") func joinsGzipMembers() throws {
        #expect(try Inflate.bytes(deflated([1, 2]) + deflated([3]), limit: 10) == [1, 2, 3])
    }

    @Test("The inflation limit is exact") func inflateLimitIsExact() throws {
        #expect(try Inflate.bytes(deflated(bytes), limit: bytes.count).count == bytes.count)
        #expect(throws: Inflate.Failure.tooLarge(limit: bytes.count - 1)) {
            try Inflate.bytes(deflated(bytes), limit: bytes.count - 1)
        }
    }

    @Test("Damaged or truncated gzip data is an error") func damagedGzipFails() {
        let whole = deflated(bytes)
        #expect(throws: Inflate.Failure.self) { try Inflate.bytes([], limit: 10) }
        #expect(throws: Inflate.Failure.self) { try Inflate.bytes([1, 2, 3], limit: 10) }
        #expect(throws: Inflate.Failure.self) { try Inflate.bytes(Array(whole.dropLast()), limit: 1 << 20) }
        #expect(throws: Inflate.Failure.self) { try Inflate.bytes(whole + [9], limit: 1 << 20) }
        var flipped = whole
        flipped[whole.count / 2] ^= 0xFF
        #expect(throws: Inflate.Failure.self) { try Inflate.bytes(flipped, limit: 1 << 20) }
    }

    /// Every level, with bodies that do and do not compress, including an empty one.
    @Test("Reads deflate data with and without a zlib header", arguments: [0, 1, 6, 9] as [Int32]) func readsRawDeflate(
        level: Int32
    ) throws {
        var random = SeededGenerator(seed: UInt64(level) + 1)
        let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        for body in [bytes, noise, [], [0x78], [0x78, 0x9C, 1, 2]] + (0..<200).map({ Array(noise.prefix($0)) }) {
            for compressed in [
                deflated(body, isGzip: false, level: level), deflatedRaw(body, level: level),
                deflated(body, level: level),
            ] {
                #expect(try Inflate.bytes(compressed, .deflate, limit: 1 << 20) == body)
            }
        }
        #expect(throws: Inflate.Failure.self) { try Inflate.bytes(deflatedRaw(bytes), .gzip, limit: 1 << 20) }
    }

    /// A body in each encoding, in several parts if the encoding allows.
    private static let encodings: [(ContentEncoding, @Sendable ([UInt8]) -> [UInt8])] = [
        (.gzip, { deflated($0) }), (.deflate, { deflated($0, isGzip: false) }), (.deflate, { deflatedRaw($0) }),
        (.zstd, { zstandard($0) }),
    ]

    @Test("Every encoding is bounded and detects damage", arguments: 0..<4) func boundsEveryEncoding(place: Int) throws
    {
        let (encoding, compress) = Self.encodings[place]
        let whole = compress(bytes)
        #expect(try Inflate.bytes(whole, encoding, limit: bytes.count) == bytes)
        #expect(throws: Inflate.Failure.tooLarge(limit: bytes.count - 1)) {
            try Inflate.bytes(whole, encoding, limit: bytes.count - 1)
        }
        for damaged in [
            [], Array(whole.dropLast()), Array(whole.prefix(whole.count / 2)), whole + [9], whole + [0, 9],
        ] {
            #expect(throws: Inflate.Failure.self) { try Inflate.bytes(damaged, encoding, limit: 1 << 20) }
        }
        let bomb = compress([UInt8](repeating: 0, count: 20 << 20))
        #expect(throws: Inflate.Failure.tooLarge(limit: 1 << 20)) {
            try Inflate.bytes(bomb, encoding, limit: 1 << 20)
        }
    }

    @Test("Several compressed parts share one limit", arguments: [0, 3]) func partsShareLimit(place: Int) throws {
        let (encoding, compress) = Self.encodings[place]
        let parts = compress([1, 2]) + compress([]) + compress(bytes) + compress([3])
        #expect(try Inflate.bytes(parts, encoding, limit: 1 << 20) == [1, 2] + bytes + [3])
        let bombs = (0..<40).flatMap { _ in compress(bytes) }
        #expect(throws: Inflate.Failure.tooLarge(limit: 7_000_000)) {
            try Inflate.bytes(bombs, encoding, limit: 7_000_000)
        }
        #expect(try Inflate.bytes(bombs, encoding, limit: 8_000_000).count == 8_000_000)
        #expect(throws: Inflate.Failure.self) {
            try Inflate.bytes(compress([1]) + compress(bytes).dropLast(), encoding, limit: 1 << 20)
        }
    }

    /// gzip itself ignores zeros after a file, which tapes and some writers add. The error names what the bytes are,
    /// whatever the headers say.
    @Test("Errors name the actual encoding of mislabelled bytes") func namesActualEncoding() {
        let json = Array(#" {"resourceLogs":[]}"#.utf8)
        for (bytes, encoding, words) in [
            (json, .gzip, "Content-Encoding is gzip, and it is JSON"), (json, .zstd, "is zstd, and it is JSON"),
            (json, .deflate, "is deflate, and it is JSON"), (deflated(json), .zstd, "is zstd, and it is gzip"),
            (zstandard(json), .gzip, "is gzip, and it is zstd"),
            (zstandard(json), .deflate, "is deflate, and it is zstd"),
            ([0x0A, 0x05, 1, 2, 3], .gzip, "it is not compressed by gzip"),
            (deflated(json) + Array("\n".utf8), .gzip, "bytes follow its end"),
            (deflated(json) + json, .gzip, "bytes follow its end"),
            (Array(deflated(json).dropLast()), .gzip, "too early"),
        ] as [([UInt8], ContentEncoding, String)] {
            let error = #expect(throws: Inflate.Failure.self) { try Inflate.bytes(bytes, encoding, limit: 1 << 20) }
            #expect(error?.description.contains(words) == true, "\(words): \(error?.description ?? "")")
        }
    }

    @Test("Ignores zeros after the compressed data", arguments: 0..<3) func skipsTrailingZeros(place: Int) throws {
        let (encoding, compress) = Self.encodings[place]
        #expect(try Inflate.bytes(compress(bytes) + [0, 0, 0, 0, 0], encoding, limit: 1 << 20) == bytes)
    }

    @Test("Skips Zstandard frames marked skippable and bounds the window") func boundsZstandardWindow() throws {
        let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 7, 7, 7]
        #expect(try Inflate.bytes(skippable + zstandard([1]) + skippable, .zstd, limit: 10) == [1])
        let large = [UInt8](repeating: 7, count: 17 << 20)
        #expect(try Inflate.bytes(zstandard(large, windowLog: 23), .zstd, limit: 1 << 30) == large)
        let error = #expect(throws: Inflate.Failure.self) {
            try Inflate.bytes(zstandard(large, windowLog: 24), .zstd, limit: 1 << 30)
        }
        #expect(error?.description.contains("too much memory") == true)
    }
}
