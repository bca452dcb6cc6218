import CZlib

package enum ContentEncoding: String, Sendable, CaseIterable {
    case gzip
    case deflate
    case zstd

    /// A `Content-Encoding` name.
    init?(name: String) { self.init(rawValue: name == "x-gzip" ? "gzip" : name) }
}

/// Inflates bodies piece by piece, so that a small bomb takes no more memory than the limit.
package enum Inflate {
    package enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// Corrupt or truncated.
        case malformed(String)
        /// Not in the declared encoding.
        case otherForm(String)
        /// Inflates to more than `limit` bytes.
        case tooLarge(limit: Int)

        package var description: String {
            switch self {
            case .malformed(let reason): "The compressed body is damaged: \(reason)."
            case .otherForm(let reason): "The body is not what its head says: \(reason)."
            case .tooLarge(let limit):
                "The body inflates to more than \(limit) bytes, the collector's limit (decompressed-limit). "
                    + "Send smaller batches."
            }
        }
    }

    static let pieceSize = 64 << 10

    /// Inflates all members.
    /// - Parameters:
    ///   - encoding: gzip (RFC 1952) also accepts zlib (RFC 1950); deflate accepts zlib and raw deflate (RFC 1951),
    ///     which Apple's and .NET's compressors produce.
    ///   - limit: the most bytes to return.
    package static func bytes(
        _ compressed: [UInt8], _ encoding: ContentEncoding = .gzip, limit: Int
    ) throws(Failure) -> [UInt8] {
        if let other = Self.otherForm(of: compressed, than: encoding) { throw .otherForm(other) }
        if encoding == .zstd { return try Zstandard.bytes(compressed, limit: limit) }
        var compressed = compressed
        let isRaw = encoding == .deflate && !hasHeader(compressed)
        let result = compressed.withUnsafeMutableBufferPointer { inflate($0, isRaw: isRaw, limit: limit) }
        return try result.get()
    }

    /// Describes bytes that cannot be in the encoding; `nil` if they may be.
    private static func otherForm(of bytes: [UInt8], than encoding: ContentEncoding) -> String? {
        let head = "Content-Encoding is \(encoding.rawValue)"
        if let first = bytes.first(where: { !" \t\r\n".utf8.contains($0) }), "{[".utf8.contains(first),
            encoding != .deflate || String(wellFormed: bytes) != nil
        {
            return "\(head), and it is JSON that is not compressed"
        }
        let isGzip = bytes.starts(with: [0x1F, 0x8B])
        let isZstandard = bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
        if encoding == .zstd, isGzip { return "\(head), and it is gzip" }
        if encoding != .zstd, isZstandard { return "\(head), and it is zstd" }
        if encoding == .gzip, bytes.count >= 2, !hasHeader(bytes) { return "\(head), and it is not compressed by gzip" }
        return nil
    }

    /// Whether data begins with a gzip or zlib header. Raw deflate never does: a stored block is padded with zeros, and
    /// other blocks set a bit that is clear in both headers.
    private static func hasHeader(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2 else { return false }
        if bytes[0] == 0x1F, bytes[1] == 0x8B { return true }
        return bytes[0] & 0x0F == 8 && (UInt16(bytes[0]) << 8 | UInt16(bytes[1])) % 31 == 0
    }

    /// Whether another member may follow.
    private static func isMember(_ rest: Slice<UnsafeMutableBufferPointer<UInt8>>) -> Bool {
        rest.count >= 2 && hasHeader(Array(rest.prefix(2)))
    }

    /// zlib takes a mutable input pointer but never writes through it.
    private static func inflate(
        _ input: UnsafeMutableBufferPointer<UInt8>, isRaw: Bool, limit: Int
    ) -> Result<[UInt8], Failure> {
        var stream = z_stream()
        // 15 window bits: negative for raw deflate, +32 to detect gzip or zlib.
        guard daybook_inflate_init(&stream, isRaw ? -15 : 15 + 32) == Z_OK else {
            return .failure(.malformed("zlib could not start"))
        }
        defer { inflateEnd(&stream) }
        guard let inputLength = uInt(exactly: input.count) else { return .failure(.tooLarge(limit: limit)) }
        stream.next_in = input.baseAddress
        stream.avail_in = inputLength
        var output: [UInt8] = []
        var isComplete = false
        while !isComplete {
            let before = output.count
            var code = Z_OK
            // Grow piece by piece, to at most one byte past the limit, which proves that there is more.
            let piece = min(pieceSize, limit + 1 - before)
            let grown = [UInt8](unsafeUninitializedCapacity: piece) { buffer, count in
                stream.next_out = buffer.baseAddress
                stream.avail_out = uInt(piece)
                code = CZlib.inflate(&stream, Z_NO_FLUSH)
                count = piece - Int(stream.avail_out)
            }
            output.append(contentsOf: grown)
            if output.count > limit { return .failure(.tooLarge(limit: limit)) }
            switch code {
            // gzip permits zero padding after the end.
            case Z_STREAM_END where input.suffix(Int(stream.avail_in)).allSatisfy { $0 == 0 }: isComplete = true
            case Z_STREAM_END where isRaw: return .failure(.malformed("bytes follow its end"))
            case Z_STREAM_END where !isMember(input.suffix(Int(stream.avail_in))):
                return .failure(.malformed("bytes follow its end"))
            case Z_STREAM_END:
                guard inflateReset(&stream) == Z_OK else { return .failure(.malformed("zlib could not go on")) }
            case Z_OK: break
            case Z_BUF_ERROR: return .failure(.malformed("it ends too early"))
            default: return .failure(.malformed(stream.msg.map { String(cString: $0) } ?? "code \(code)"))
            }
        }
        return .success(output)
    }
}
