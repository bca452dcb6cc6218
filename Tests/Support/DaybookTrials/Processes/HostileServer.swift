import DaybookBase
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An answer that no client may take for a success, and that may cost it no more than its limits.
package struct HostileAnswer: Sendable, CustomStringConvertible {
    package enum End: Sendable {
        case close
        /// The same answer to each further request of the connection.
        case again
        /// Nothing, until the client closes.
        case silence
        /// These bytes repeatedly, as fast as they are read.
        case endless([UInt8])
        /// These bytes at intervals.
        case trickle([UInt8])
    }

    package var description: String
    package let start: [UInt8]
    let end: End

    /// Whether only a deadline ends it.
    package var isSlow: Bool {
        switch end {
        case .silence, .trickle: true
        case .close, .again, .endless: false
        }
    }

    package init(_ description: String, _ start: String, _ end: End = .close) {
        self.init(description, bytes: Array(start.utf8), end)
    }

    package init(_ description: String, bytes: [UInt8], _ end: End = .close) {
        (self.description, start, self.end) = (description, bytes, end)
    }

    /// Complete answers; every shorter prefix is hostile.
    package static let whole = [
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 4\r\n\r\nfine",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    ]

    /// Every prefix of a complete answer, then the end of the connection. Not the one that lacks only its last byte:
    /// the empty chunk before it has ended the body.
    package static var prefixes: [HostileAnswer] {
        whole.flatMap { text in
            (0..<text.utf8.count - 1).map { HostileAnswer("cut at \($0)", bytes: Array(text.utf8.prefix($0))) }
        } + [HostileAnswer("cut at the last byte", bytes: Array(whole[0].utf8.dropLast()))]
    }

    private static let long = [UInt8](repeating: UInt8(ascii: "x"), count: 16_384)
    private static let head = "HTTP/1.1 200 OK\r\n"

    package static var kinds: [HostileAnswer] {
        let zeros = String(repeating: "\u{0}", count: 300_000)
        return [
            HostileAnswer("half a head", head + "Content-Le"),
            HostileAnswer("cut at the limit", head + "Content-Length: 1000000\r\n\r\n" + zeros.prefix(65_536)),
            HostileAnswer("longer than the limit", head + "Content-Length: 300000\r\n\r\n" + zeros),
            HostileAnswer("packed and long", head + "Content-Encoding: gzip\r\nContent-Length: 300000\r\n\r\n" + zeros),
            HostileAnswer("too short", head + "Content-Length: 5\r\n\r\nfour"),
            HostileAnswer("two lengths", head + "Content-Length: 4\r\nContent-Length: 2\r\n\r\nfine"),
            HostileAnswer("no length", head + "Content-Length: -4\r\n\r\nfine"),
            HostileAnswer("words for a length", head + "Content-Length: four\r\n\r\nfine", .silence),
            HostileAnswer("chunks of nothing", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\nfine\r\n"),
            HostileAnswer("a chunk without end", head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx"),
            HostileAnswer("a chunk cut", head + "Transfer-Encoding: chunked\r\n\r\n8\r\nfine"),
            HostileAnswer("no last chunk", head + "Transfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n"),
            HostileAnswer("HTTP/0.9", "<html>fine</html>"), HostileAnswer("nothing", ""),
            HostileAnswer("NUL in a field", head + "X: a\u{0}b\r\nContent-Length: 0\r\n\r\n"),
            HostileAnswer("a large status", "HTTP/1.1 99999 OK\r\nContent-Length: 0\r\n\r\n"),
            HostileAnswer("a small status", "HTTP/1.1 002 OK\r\nContent-Length: 0\r\n\r\n"),
            HostileAnswer("another protocol", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nfine", .silence),
            HostileAnswer(
                "a redirect", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
            HostileAnswer("SSH", "SSH-2.0-OpenSSH_9.2\r\n", .silence),
            HostileAnswer("an endless field", head + "X: ", .endless(long)),
            HostileAnswer("endless fields", head, .endless(Array("X: 1\r\n".utf8))),
            HostileAnswer("endless interim answers", "", .endless(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))),
            HostileAnswer("an endless body", head + "\r\n", .endless(long)),
            HostileAnswer(
                "endless chunks", head + "Transfer-Encoding: chunked\r\n\r\n", .endless(Array("1\r\nx\r\n".utf8))),
            HostileAnswer("an endless first line", "", .endless(long)), HostileAnswer("silence", "", .silence),
            HostileAnswer("a trickling head", head, .trickle(Array("X: 1\r\n".utf8))),
            HostileAnswer("a trickling body", head + "Content-Length: 1000\r\n\r\n", .trickle([0x20])),
        ]
    }
}

/// Gives every connection on a loopback port the same hostile answer. Safe to share between threads.
package final class HostileServer: Sendable {
    /// The pauses of a trickling answer, in milliseconds.
    private static let pause: Int32 = 20

    package let port: UInt16
    private let listener: Int32
    private let answer: HostileAnswer
    /// Bytes sent over all connections.
    package let sent = Atomic(0)
    package let connections = Atomic(0)

    package init(_ answer: HostileAnswer) throws {
        #if canImport(Darwin)
            let type = SOCK_STREAM
        #else
            let type = Int32(SOCK_STREAM.rawValue)
        #endif
        listener = socket(AF_INET, type, 0)
        guard listener >= 0 else { throw POSIXError(.ENOTSOCK) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            // The C interface takes every kind of address as a `sockaddr`; the memory is bound to it for the calls only.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        self.answer = answer
        guard isBound else {
            close(listener)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                _ = connections.add(1, ordering: .relaxed)
                Thread.detachNewThread {
                    self.serve(connection)
                    close(connection)
                }
            }
            close(listener)
        }
    }

    package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        guard recv(connection, &buffer, buffer.count, 0) > 0, send(answer.start, connection) else { return }
        switch answer.end {
        case .close:
            shutdown(connection, Int32(SHUT_WR))
            // The client closes first, so that nothing it has not yet read is discarded.
            while recv(connection, &buffer, buffer.count, 0) > 0 {}
        case .again: while recv(connection, &buffer, buffer.count, 0) > 0, send(answer.start, connection) {}
        case .silence: while recv(connection, &buffer, buffer.count, 0) > 0 {}
        case .endless(let bytes): while send(bytes, connection) {}
        case .trickle(let bytes):
            var closed = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            while poll(&closed, 1, Self.pause) == 0, send(bytes, connection) {}
        }
    }

    private func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if canImport(Darwin)
                let count = rest.withUnsafeBytes { Darwin.send(connection, $0.baseAddress, $0.count, 0) }
            #else
                let count = rest.withUnsafeBytes {
                    Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            #endif
            guard count > 0 else { return false }
            _ = sent.add(count, ordering: .relaxed)
            rest = rest.dropFirst(count)
        }
        return true
    }
}
