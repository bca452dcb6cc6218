import DaybookBase
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// A small HTTP/1.1 server on 127.0.0.1 for tests: plain sockets, a thread per connection, one request each.
///
/// Request bodies need a `Content-Length`. At most 64 KiB of header and 16 MiB of body; a connection idle for ten
/// seconds is closed. Thread-safe.
package final class LoopbackServer: Sendable {
    package struct Request: Sendable {
        package var method: String
        /// Without the query.
        package var path: String
        /// As sent: the path and, after a `?`, the query.
        package var target: String
        /// Lowercase names.
        package var headers: [String: String]
        package var body: [UInt8]
    }

    package struct Response: Sendable {
        package var status: Int
        package var contentType: String
        package var body: [UInt8]
        /// Bytes of the body to send before closing. Default: all.
        package var cut: Int

        package init(status: Int, contentType: String = "application/json", body: [UInt8] = [], cut: Int = .max) {
            self.status = status
            self.contentType = contentType
            self.body = body
            self.cut = cut
        }

        /// The connection is closed without a response.
        package static let none = Response(status: 0)
    }

    package struct StartError: Error, CustomStringConvertible {
        package let description: String
    }

    private static let headerLimit = 64 << 10
    private static let bodyLimit = 16 << 20
    private static let connectionLimit = 64

    package let port: UInt16
    /// `nil` once closed, since the descriptor may then be another socket's.
    private let listener: Mutex<Int32?>
    private let handler: @Sendable (Request) -> Response
    private let isStopped = Atomic(false)
    private let connections = Atomic(0)

    /// Listens on a free port.
    /// - Throws: ``StartError``.
    package init(_ handler: @escaping @Sendable (Request) -> Response) throws {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw StartError(description: "no socket: error \(errno)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            // The C interface takes a `sockaddr`; the memory is rebound only during the calls.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isListening else {
            let code = errno
            close(descriptor)
            throw StartError(description: "cannot listen on 127.0.0.1: error \(code)")
        }
        listener = Mutex(descriptor)
        port = UInt16(bigEndian: address.sin_port)
        self.handler = handler
        Thread.detachNewThread { self.accept(on: descriptor) }
    }

    /// Stops listening; requests in progress are answered.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .sequentiallyConsistent) else { return }
        // Wakes the thread in accept(), which then closes the descriptor.
        listener.withLock { open in
            if let open { shutdown(open, Int32(SHUT_RDWR)) }
        }
    }

    private func accept(on listener: Int32) {
        defer {
            self.listener.withLock { open in
                close(listener)
                open = nil
            }
        }
        while !isStopped.load(ordering: .sequentiallyConsistent) {
            let connection = systemAccept(listener)
            guard connection >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            guard connections.add(1, ordering: .relaxed) <= Self.connectionLimit else {
                connections.subtract(1, ordering: .relaxed)
                close(connection)
                continue
            }
            Thread.detachNewThread {
                self.serve(connection)
                close(connection)
                self.connections.subtract(1, ordering: .relaxed)
            }
        }
    }

    private func serve(_ connection: Int32) {
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let response: Response
        if let request = Self.read(connection) {
            response = handler(request)
        } else {
            response = Response(
                status: 400, body: Array(#"{"error":"This is no request that the probe can read."}"#.utf8))
        }
        let header =
            "HTTP/1.1 \(response.status) \(response.status < 400 ? "OK" : "Refused")\r\n"
            + "Content-Type: \(response.contentType)\r\nContent-Length: \(response.body.count)\r\n"
            + "Connection: close\r\n\r\n"
        if response.status != 0 { Self.write(Array(header.utf8) + response.body.prefix(response.cut), to: connection) }
        shutdown(connection, Int32(SHUT_WR))
    }

    private static func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        var headerEnd: Int?
        while headerEnd == nil {
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0, bytes.count + count <= headerLimit + piece.count else { return nil }
            let start = max(0, bytes.count - 3)
            bytes += piece[..<count]
            headerEnd = bytes[start...].indices.dropLast(3).first { bytes[$0...].starts(with: [13, 10, 13, 10]) }
        }
        guard let headerEnd, var request = request(header: String(decoding: bytes[..<headerEnd], as: UTF8.self)),
            let length = Int(request.headers["content-length"] ?? "0"), (0...bodyLimit).contains(length)
        else { return nil }
        if request.headers["expect"] == "100-continue" {
            write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: connection)
        }
        var body = Array(bytes[(headerEnd + 4)...])
        while body.count < length {
            let count = recv(connection, &piece, min(piece.count, length - body.count), 0)
            guard count > 0 else { return nil }
            body += piece[..<count]
        }
        request.body = Array(body.prefix(length))
        return request
    }

    private static func request(header: String) -> Request? {
        let lines = header.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        let path = words[1].prefix { $0 != "?" }
        return Request(
            method: String(words[0]), path: String(path), target: String(words[1]), headers: headers, body: [])
    }

    private static func write(_ bytes: [UInt8], to connection: Int32) {
        #if canImport(Darwin)
            var isOn: Int32 = 1
            setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// `accept(2)`, which the type's own `accept` shadows.
private func systemAccept(_ listener: Int32) -> Int32 {
    accept(listener, nil, nil)
}
