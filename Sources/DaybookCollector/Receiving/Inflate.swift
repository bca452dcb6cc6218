import CZlib

/// Inflates gzip (RFC 1952) and zlib (RFC 1950) bodies piece by piece, so that a small bomb costs no more memory than
/// the limit.
package enum Inflate {
    /// Why a body could not be inflated.
    package enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// Not gzip or zlib, damaged, or cut off.
        case malformed(String)
        /// It inflates to more than this many bytes.
        case tooLarge(limit: Int)

        package var description: String {
            switch self {
            case .malformed(let reason): "The compressed body is damaged: \(reason)."
            case .tooLarge(let limit): "The body inflates to more than \(limit) bytes. Send smaller batches."
            }
        }
    }

    private static let pieceSize = 64 << 10

    /// The inflated bytes, of all members where gzip holds several.
    /// - Parameter limit: the most bytes to return.
    /// - Throws: ``Failure``.
    package static func bytes(_ compressed: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        var compressed = compressed
        let result = compressed.withUnsafeMutableBufferPointer { inflate($0, limit: limit) }
        return try result.get()
    }

    /// zlib reads through a mutable pointer, but does not write to it.
    private static func inflate(_ input: UnsafeMutableBufferPointer<UInt8>, limit: Int) -> Result<[UInt8], Failure> {
        var stream = z_stream()
        // 15 bits of window, and 32: find out whether it is gzip or zlib.
        guard daybook_inflate_init(&stream, 15 + 32) == Z_OK else {
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
            // Grown by a piece at a time; never beyond the limit and one byte, which shows that there is more.
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
            case Z_STREAM_END where stream.avail_in > 0:
                guard inflateReset(&stream) == Z_OK else { return .failure(.malformed("zlib could not go on")) }
            case Z_STREAM_END: isComplete = true
            case Z_OK: break
            case Z_BUF_ERROR: return .failure(.malformed("it ends too early"))
            default: return .failure(.malformed(stream.msg.map { String(cString: $0) } ?? "code \(code)"))
            }
        }
        return .success(output)
    }
}
