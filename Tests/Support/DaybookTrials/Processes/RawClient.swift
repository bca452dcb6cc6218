#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A client that sends exactly the bytes it is told. Blocking, with a limit of 20 s on each call.
///
/// Not shared between threads.
package final class RawClient {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String

        package init(description: String) { self.description = description }
    }

    package struct Response: Equatable {
        package var status = 0
        package var headers: [String: String] = [:]
        package var body: [UInt8] = []
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package let port: Int
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var isClosed = false

    /// - Parameter source: The loopback address to connect from.
    package init(port: Int, from source: String = "127.0.0.1") throws {
        self.port = port
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var own = address
        own.sin_port = 0
        own.sin_addr.s_addr = inet_addr(source)
        _ = withUnsafePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let result = withUnsafePointer(to: &address) {
            // A `sockaddr_in` may be passed as a `sockaddr`.
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(description: "connect: \(String(cString: strerror(errno)))") }
    }

    deinit { disconnect() }

    package var ownPort: Int? {
        var own = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &own) {
            // A `sockaddr_in` may be passed as a `sockaddr`.
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return result == 0 ? Int(in_port_t(bigEndian: own.sin_port)) : nil
    }

    package func disconnect() {
        if !isClosed { close(descriptor) }
        isClosed = true
    }

    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Whether all bytes were accepted.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = bytes.withUnsafeBytes { raw in
                #if canImport(Glibc)
                    Glibc.send(descriptor, raw.baseAddress! + sent, raw.count - sent, flags)
                #else
                    Darwin.send(descriptor, raw.baseAddress! + sent, raw.count - sent, flags)
                #endif
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends a request with the right `Host`.
    @discardableResult
    package func request(_ line: String, headers: [String] = [], body: [UInt8] = []) -> Bool {
        var lines = ["\(line) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
        if !body.isEmpty { lines.append("Content-Length: \(body.count)") }
        return send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// Whether the server closed the connection or sent something within `milliseconds`.
    package func isReadable(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    /// Reads more; `false` at the end of the connection, orderly or not.
    package func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) {
            throw Failure(description: "nothing came in 120 s")
        }
        guard count > 0 else { return false }
        buffer += chunk.prefix(count)
        return true
    }

    package func readUntilClose() throws -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return buffer
    }

    package func readLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end + 1)
                return line.hasSuffix("\r") ? String(line.dropLast()) : line
            }
            guard try fill() else { throw Failure(description: "closed in the middle of a line") }
        }
    }

    package func read(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw Failure(description: "closed \(count - buffer.count) bytes early") }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    package func readHead() throws -> Response {
        var response = Response()
        let status = try readLine().split(separator: " ")
        guard status.count >= 2, let code = Int(status[1]) else { throw Failure(description: "no status: \(status)") }
        response.status = code
        while true {
            let line = try readLine()
            if line.isEmpty { return response }
            let parts = line.split(separator: ":", maxSplits: 1)
            response.headers[parts[0].lowercased()] =
                parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
    }

    /// The next chunk of a chunked body; empty for the last.
    package func readChunk() throws -> [UInt8] {
        guard let size = Int(try readLine(), radix: 16) else { throw Failure(description: "no chunk size") }
        let chunk = try read(size)
        _ = try readLine()
        return chunk
    }

    package func readResponse(toHead: Bool = false) throws -> Response {
        var response = try readHead()
        if toHead || response.status == 204 || response.status / 100 == 1 { return response }
        if response.headers["transfer-encoding"] == "chunked" {
            while case let chunk = try readChunk(), !chunk.isEmpty { response.body += chunk }
        } else if let length = response.headers["content-length"].flatMap(Int.init) {
            response.body = try read(length)
        }
        return response
    }
}
