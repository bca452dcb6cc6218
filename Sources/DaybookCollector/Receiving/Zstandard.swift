import CZstd

/// Inflates Zstandard (RFC 8878), of one or more frames.
enum Zstandard {
    /// 8 MiB, the window limit of RFC 9659 for HTTP; a body costs this much memory in addition.
    private static let windowLog: Int32 = 23

    /// - Parameter limit: the most bytes to return.
    /// - Throws: ``Inflate/Failure``.
    static func bytes(_ compressed: [UInt8], limit: Int) throws(Inflate.Failure) -> [UInt8] {
        guard let context = ZSTD_createDCtx() else { throw .malformed("zstd could not start") }
        defer { ZSTD_freeDCtx(context) }
        guard ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, windowLog)) == 0 else {
            throw .malformed("zstd could not start")
        }
        return try compressed.withUnsafeBytes { inflate($0, context, limit: limit) }.get()
    }

    private static func inflate(
        _ bytes: UnsafeRawBufferPointer, _ context: OpaquePointer, limit: Int
    ) -> Result<[UInt8], Inflate.Failure> {
        var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        var output: [UInt8] = []
        // 0 at the end of a frame; the next call begins another.
        var code = 1
        while input.pos < input.size || code != 0 {
            let place = input.pos
            // As in ``Inflate``: at most one byte past the limit.
            let piece = min(Inflate.pieceSize, limit + 1 - output.count)
            let grown = [UInt8](unsafeUninitializedCapacity: piece) { buffer, count in
                var target = ZSTD_outBuffer(dst: buffer.baseAddress, size: piece, pos: 0)
                code = ZSTD_decompressStream(context, &target, &input)
                count = target.pos
            }
            if ZSTD_isError(code) != 0 {
                return .failure(.malformed(String(cString: ZSTD_getErrorName(code)).lowercased()))
            }
            output.append(contentsOf: grown)
            if output.count > limit { return .failure(.tooLarge(limit: limit)) }
            if code != 0, grown.isEmpty, input.pos == place { return .failure(.malformed("it ends too early")) }
        }
        return .success(output)
    }
}
