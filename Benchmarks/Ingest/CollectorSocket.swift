import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A connection that stays open and sends requests that are made already: the cheapest client there can be, so that what
/// is measured is the collector. Blocking, at most 60 s a call. Not shared between threads.
final class CollectorSocket {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    init(port: UInt16) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Failure(description: "socket: \(String(cString: strerror(errno)))") }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            // A `sockaddr_in` is made to be passed as a `sockaddr`.
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(description: "connect: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Sends a batch and waits for its 200.
    func post(_ body: [UInt8]) throws {
        let head =
            "POST /v1/logs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-protobuf\r\n"
            + "Content-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        try send(Array(head.utf8) + body)
        try readAnswer()
    }

    /// Sends bytes as they are.
    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = bytes[sent...].withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { throw Failure(description: "send: \(String(cString: strerror(errno)))") }
            sent += count
        }
    }

    /// Reads one answer and its body, whose length it states.
    private func readAnswer() throws {
        var used = 0
        var needed: Int?
        while needed.map({ used < $0 }) ?? true {
            guard used < buffer.count else { throw Failure(description: "the answer is too long") }
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + used, $0.count - used, 0) }
            guard count > 0 else { throw Failure(description: "the collector closed the connection") }
            used += count
            if needed == nil { needed = try whole(buffer[..<used]) }
        }
    }

    /// How many bytes the answer has in all; `nil` while its head is not complete.
    private func whole(_ bytes: ArraySlice<UInt8>) throws -> Int? {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        guard text.hasPrefix("http/1.1 200") else { throw Failure(description: text) }
        let head = text[..<end.lowerBound]
        guard let field = head.range(of: "content-length: "),
            let length = Int(head[field.upperBound...].prefix { $0.isNumber })
        else { throw Failure(description: "an answer without a length: \(head)") }
        return text[..<end.upperBound].utf8.count + length
    }
}

#if canImport(Glibc)
    private let systemSend = Glibc.send
#else
    private let systemSend = Darwin.send
#endif
