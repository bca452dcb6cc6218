import CZlib

package enum Gzip {
    /// Compresses with gzip (RFC 1952); `nil` if zlib is out of memory.
    ///
    /// Level 1: on repetitive telemetry, higher levels cost several times the time for a few percent.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 15 window bits, +16 for a gzip header.
        guard daybook_deflate_init(&stream, 1, 15 + 16) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let capacity = Int(deflateBound(&stream, uLong(bytes.count)))
        var isComplete = false
        let compressed = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            // zlib's input pointer is not const, but deflate only reads.
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = uInt(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(capacity)
                isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
            count = capacity - Int(clamping: stream.avail_out)
        }
        return isComplete ? compressed : nil
    }
}
