import DaybookBase
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Answers HTTP requests on a loopback port with given bytes, one connection each, and keeps the requests.
final class ScriptedServer: Sendable {
    let port: UInt16
    /// `nil` once closed: the descriptor's number may be reused.
    private let listener: Mutex<Int32?>
    private let heard = Mutex<[String]>([])

    /// - Parameter answers: The raw answer to each connection in turn; `nil` for silence until the client gives up. No
    ///   connection is accepted after the last.
    init(_ answers: [String?]) throws {
        #if canImport(Darwin)
            let type = SOCK_STREAM
        #else
            let type = Int32(SOCK_STREAM.rawValue)
        #endif
        let listener = socket(AF_INET, type, 0)
        guard listener >= 0 else { throw POSIXError(.ENOTSOCK) }
        self.listener = Mutex(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else {
            close(listener)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        Thread.detachNewThread { [self] in
            for answer in answers { serve(answer, listener) }
            self.listener.withLock { open in
                close(listener)
                open = nil
            }
        }
    }

    func stop() {
        listener.withLock { open in
            if let open { shutdown(open, Int32(SHUT_RDWR)) }
        }
    }

    var requests: [String] { heard.withLock { $0 } }

    /// Whether the head and the announced body have arrived; counts characters, since test bodies are ASCII.
    private static func isWhole(_ request: String) -> Bool {
        guard let end = request.range(of: "\r\n\r\n") else { return false }
        let head = request[..<end.lowerBound].lowercased()
        if head.contains("\r\ntransfer-encoding: chunked") { return request.hasSuffix("\r\n0\r\n\r\n") }
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
        let count = length.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        return request[end.upperBound...].utf8.count >= count
    }

    private func serve(_ answer: String?, _ listener: Int32) {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        defer { close(connection) }
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var request = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !Self.isWhole(request) {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { break }
            request += String(decoding: buffer[..<count], as: UTF8.self)
        }
        heard.withLock { $0.append(request) }
        let bytes = Array((answer ?? "").utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { break }
            sent += count
        }
        if answer != nil { shutdown(connection, Int32(SHUT_WR)) }
        // The client closes first, so that nothing it has not yet read is discarded.
        while recv(connection, &buffer, buffer.count, 0) > 0 {}
    }
}
