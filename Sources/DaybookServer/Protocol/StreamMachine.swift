/// A streamed reply between its producer and the library that asks for bytes, as decisions (pure).
struct StreamMachine {
    enum Pull: Equatable {
        /// This many bytes were copied.
        case bytes(Int)
        /// There is nothing now: suspend the connection.
        case suspend
        /// The stream ended in order.
        case end
        /// The stream broke off: the client must be able to tell.
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

    /// Whether the producer should wait: what is pending is enough for now.
    var isFull: Bool { ending == nil && pending.count - offset >= Self.highWater }
    /// Whether more chunks are of no use.
    var isEnded: Bool { ending != nil }

    /// Bytes that wait for a slow client before its producer is held back.
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

    /// The producer is done, or the server stops: what is pending is still sent. Returns whether to resume.
    mutating func end() -> Bool {
        guard ending == nil else { return false }
        ending = .end
        return wake()
    }

    /// The client left, or the connection broke: nothing more is sent. Returns whether to resume.
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
