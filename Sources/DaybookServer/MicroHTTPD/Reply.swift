import CMicroHTTPD
import DaybookHTTP

/// Hands replies to the library.
enum Reply {
    /// Queues a reply. Only in the library's handler callback.
    ///
    /// - Returns: whether the library took it; otherwise the connection is to be closed.
    static func queue(_ reply: PreparedReply, on connection: Connection, isHead: Bool) -> Bool {
        guard let response = make(reply, isHead: isHead) else { return false }
        // The library counts references: its own keeps the response until it was sent.
        defer { MHD_destroy_response(response) }
        for field in reply.response.headers.fields {
            guard daybook_mhd_add_header(response, field.name, field.value) != 0 else { return false }
        }
        let status = UInt32(reply.response.status)
        guard daybook_mhd_queue(connection.handle.pointer, status, response) != 0 else { return false }
        // A HEAD request never asks for the chunks; dropping them ends their producer.
        if let chunks = reply.chunks, !isHead { reply.stream?.feed(from: chunks) }
        return true
    }

    private static func make(_ reply: PreparedReply, isHead: Bool) -> OpaquePointer? {
        guard let stream = reply.stream else {
            guard case .bytes(let bytes) = reply.response.body else { return nil }
            return bytes.withUnsafeBytes { daybook_mhd_response($0.baseAddress, $0.count) }
        }
        if isHead { return daybook_mhd_stream_head(read) }
        // The library owns one reference to the stream until it calls `release`, which it does exactly once, when it
        // destroys the response; `read` is never called after that.
        let context = Unmanaged.passRetained(stream).toOpaque()
        let response = daybook_mhd_stream(read, release, context)
        if response == nil { Unmanaged<ReplyStream>.fromOpaque(context).release() }
        return response
    }

    private static let read: MHD_ContentReaderCallback = { context, _, buffer, size in
        guard let context, let buffer else { return daybook_mhd_stream_failed }
        let stream = Unmanaged<ReplyStream>.fromOpaque(context).takeUnretainedValue()
        switch stream.pull(into: UnsafeMutableRawBufferPointer(start: buffer, count: size)) {
        case .bytes(let count): return count
        case .suspend: return 0
        case .end: return daybook_mhd_stream_ended
        case .fail: return daybook_mhd_stream_failed
        }
    }

    private static let release: MHD_ContentReaderFreeCallback = { context in
        guard let context else { return }
        Unmanaged<ReplyStream>.fromOpaque(context).takeRetainedValue().fail()?.release()
    }
}
