import DaybookHTTP

/// A streamed reply between its producer and the library, as a pure state machine.
struct StreamMachine {
    enum Pull: Equatable {
        /// This many bytes were copied.
        case bytes(Int)
        /// Nothing available: suspend the connection.
        case suspend
        /// The stream ended normally.
        case end
        /// The stream broke off, which the client must be able to tell.
        case fail
    }

    private enum Ending {
        case end, fail
    }

    private var pending: [UInt8] = []
    private var offset = 0
    private var ending: Ending?
    /// The connection is suspended until bytes or an end come.
    private(set) var isSuspended = false

    /// Whether enough is pending that the producer should wait.
    var isFull: Bool { ending == nil && pending.count - offset >= Self.highWater }
    /// Whether further chunks would be ignored.
    var isEnded: Bool { ending != nil }

    /// Pending bytes at which a slow client's producer is paused.
    static let highWater = 64 * 1024

    /// The library wants bytes.
    mutating func pull(into buffer: UnsafeMutableRawBufferPointer) -> Pull {
        if ending == .fail { return .fail }
        let available = pending.count - offset
        guard available > 0 else {
            if ending == .end { return .end }
            isSuspended = true
            return .suspend
        }
        let count = min(available, buffer.count)
        pending.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
        }
        offset += count
        if offset == pending.count {
            pending.removeAll(keepingCapacity: pending.capacity <= Self.highWater)
            offset = 0
        }
        return .bytes(count)
    }

    /// A chunk came. Returns whether to resume the connection.
    mutating func push(_ chunk: [UInt8]) -> Bool {
        guard ending == nil, !chunk.isEmpty else { return false }
        pending.append(contentsOf: chunk)
        return wake()
    }

    /// The producer is done, or the server stops: pending bytes are still sent. Returns whether to resume.
    mutating func end() -> Bool {
        guard ending == nil else { return false }
        ending = .end
        return wake()
    }

    /// The client disconnected, or the connection broke: nothing more is sent. Returns whether to resume.
    mutating func fail() -> Bool {
        ending = .fail
        pending = []
        offset = 0
        return wake()
    }

    private mutating func wake() -> Bool {
        defer { isSuspended = false }
        return isSuspended
    }
}

/// Sanitizes a handler's response: removes headers that the transport owns, and replaces a response by a 500 if a
/// header could split it (CR, LF, NUL).
enum ResponseCheck {
    private static let ownedByTransport: Set<String> = ["content-length", "transfer-encoding", "connection", "upgrade"]

    static func checked(_ response: HTTPResponse) -> HTTPResponse {
        guard (200...599).contains(response.status) else { return broken("the status \(response.status)") }
        var headers: HTTPHeaders = [:]
        for field in response.headers.fields where !ownedByTransport.contains(field.name.lowercased()) {
            headers.add(field.name, field.value)
        }
        guard headers.areWellFormed else { return broken("a malformed header") }
        var result = response
        result.headers = headers
        return result
    }

    private static func broken(_ what: String) -> HTTPResponse {
        .problem(500, code: "invalid_response", "The handler answered with \(what); this is a bug in the server.")
    }
}

/// A serialized reply, for the one case that the library cannot handle: in the middle of a body larger than what is
/// discarded. The connection ends with it.
enum ReplyAhead {
    static func bytes(_ response: HTTPResponse) -> [UInt8] {
        let body: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
        var text = "HTTP/1.1 \(response.status) Refused\r\n"
        for field in response.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        text += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(text.utf8) + body
    }
}
