import DaybookBase
import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Hostile webhooks: loopback ports, each of which treats every connection in one way.
final class AttackTargets: Sendable {
    enum Manner: CaseIterable {
        /// A byte of a response now and then.
        case trickle
        case endless
        /// The beginning of a response, then nothing.
        case cut
        case silent
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private let isOver = Atomic(false)
    private let listeners: [Int32]
    let ports: [Manner: UInt16]

    init() throws {
        var ports: [Manner: UInt16] = [:]
        var listeners: [Int32] = []
        for manner in Manner.allCases {
            let (listener, port) = try Self.listen()
            listeners.append(listener)
            ports[manner] = port
        }
        (self.ports, self.listeners) = (ports, listeners)
        for (manner, listener) in zip(Manner.allCases, listeners) {
            Thread.detachNewThread { [self] in
                while case let client = accept(listener, nil, nil), client >= 0 {
                    Thread.detachNewThread { [self] in answer(client, manner) }
                }
            }
        }
    }

    func stop() {
        isOver.store(true, ordering: .relaxed)
        for listener in listeners {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
    }

    private static func listen() throws -> (Int32, UInt16) {
        #if canImport(Glibc)
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            // A `sockaddr_in` is made to be passed as a `sockaddr`.
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && systemListen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw Failure(description: "no port for a webhook: \(String(cString: strerror(errno)))") }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private func answer(_ client: Int32, _ manner: Manner) {
        defer { close(client) }
        var request = [UInt8](repeating: 0, count: 64 << 10)
        guard recv(client, &request, request.count, 0) > 0 else { return }
        switch manner {
        case .cut: write(client, Array("HTTP/1.1 200 OK\r\nContent-Le".utf8))
        case .silent: while !isOver.load(ordering: .relaxed) { Thread.sleep(forTimeInterval: 0.2) }
        case .trickle:
            for byte in "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".utf8 + Array(repeating: 0x61, count: 1_000) {
                guard !isOver.load(ordering: .relaxed), write(client, [byte]) else { return }
                Thread.sleep(forTimeInterval: 2)
            }
        case .endless:
            guard write(client, Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) else { return }
            let page = [UInt8](repeating: 0x61, count: 64 << 10)
            while !isOver.load(ordering: .relaxed), write(client, page) {}
        }
    }

    @discardableResult
    private func write(_ client: Int32, _ bytes: [UInt8]) -> Bool {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        return systemSend(client, bytes, bytes.count, flags) > 0
    }
}

#if canImport(Glibc)
    private let systemSend = Glibc.send
    private let systemListen = Glibc.listen
#else
    private let systemSend = Darwin.send
    private let systemListen = Darwin.listen
#endif
