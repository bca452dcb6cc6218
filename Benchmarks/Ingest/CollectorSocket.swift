import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A persistent connection: the cheapest possible client, so that the collector is what is measured. Blocking, at most
/// 60 s a call. Not shared between threads.
final class CollectorSocket {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private let descriptor: Int32
    /// The first lines of every batch.
    private let head: String
    private let port: UInt16
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    /// - Parameter key: Sent with every batch; `nil` for none.
    init(port: UInt16, key: String? = nil) throws {
        self.port = port
        head =
            "POST /v1/logs HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/x-protobuf\r\n"
            + (key.map { "Authorization: Bearer \($0)\r\n" } ?? "")
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
        let answer = try exchange(body)
        guard answer.status == 200 else { throw Failure(description: String(decoding: answer.body, as: UTF8.self)) }
    }

    /// Sends a batch and waits for any response.
    func exchange(_ body: [UInt8]) throws -> (status: Int, body: [UInt8]) {
        let rest = "Content-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        try send(Array((head + rest).utf8) + body)
        return try readAnswer()
    }

    /// Sends an uncompressed body with its own key and waits for any response.
    func exchange(_ body: [UInt8], type: String, key: String) throws -> (status: Int, body: [UInt8]) {
        let head =
            "POST /v1/logs HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: \(type)\r\n"
            + "Authorization: Bearer \(key)\r\nContent-Length: \(body.count)\r\n\r\n"
        try send(Array(head.utf8) + body)
        return try readAnswer()
    }

    /// The status of a page that needs no key.
    func status(of path: String) throws -> Int {
        try send(Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8))
        return try readAnswer().status
    }

    /// Starts a request and stops within its head, or with `bodyLength` at the start of its body.
    func begin(bodyLength: Int?) throws {
        try send(Array((head + (bodyLength.map { "Content-Length: \($0)\r\n\r\n" } ?? "")).utf8))
    }

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

    /// The body of the inspector API's response.
    func get(_ path: String, token: String) throws -> [UInt8] {
        try send(
            Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8))
        let answer = try readAnswer()
        guard answer.status == 200 else { throw Failure(description: String(decoding: answer.body, as: UTF8.self)) }
        return answer.body
    }

    /// Runs a statement and waits for any response.
    func run(_ sql: String, token: String) throws { _ = try post("sql", "{\"sql\":\"\(sql)\"}", token: token) }

    /// Posts a JSON object to the inspector's API; returns the response's body, whatever its status.
    func post(_ path: String, _ json: String, token: String) throws -> [UInt8] {
        let body = Array(json.utf8)
        let head =
            "POST /api/v1/\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        try send(Array(head.utf8) + body)
        return try readAnswer().body
    }

    /// Reads a response whose body has the announced length.
    private func readAnswer() throws -> (status: Int, body: [UInt8]) {
        var used = 0
        var needed: (status: Int, head: Int, body: Int)?
        while needed.map({ used < $0.head + $0.body }) ?? true {
            if used == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + used, $0.count - used, 0) }
            guard count > 0 else { throw Failure(description: "the collector closed the connection") }
            used += count
            if needed == nil { needed = try lengths(buffer[..<used]) }
        }
        return (needed?.status ?? 0, Array(buffer[(needed?.head ?? 0)..<used]))
    }

    /// The status, and the lengths of head and body; `nil` until the head is complete.
    private func lengths(_ bytes: ArraySlice<UInt8>) throws -> (status: Int, head: Int, body: Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
        guard let status = Int(head.dropFirst("http/1.1 ".count).prefix(3)),
            let field = head.range(of: "content-length: "),
            let length = Int(head[field.upperBound...].prefix { $0.isNumber })
        else { throw Failure(description: "an answer without a status or a length: \(head)") }
        return (status, end.upperBound, length)
    }
}

#if canImport(Glibc)
    private let systemSend = Glibc.send
#else
    private let systemSend = Darwin.send
#endif
