import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Plain bytes to a server on 127.0.0.1, each time over a connection of its own. Blocks its thread.
enum LoopbackClient {
    /// Sends bytes and reads until the server ends the connection.
    /// - Parameters:
    ///   - seconds: How long a server may be silent.
    ///   - isCut: Whether to end the connection behind the bytes, without waiting for an answer.
    /// - Returns: What the server sent; `nil` where there is none, or it takes nothing.
    static func exchange(_ bytes: [UInt8], port: UInt16, seconds: Int = 10, isCut: Bool = false) -> [UInt8]? {
        #if canImport(Darwin)
            let connection = socket(AF_INET, SOCK_STREAM, 0)
            var isOn: Int32 = 1
            setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
            let flags: Int32 = 0
        #else
            let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        guard connection >= 0 else { return nil }
        defer { close(connection) }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            // The C interface takes every kind of address as a `sockaddr`; the memory is bound to it for the call only.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return nil }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return nil }
            rest = rest.dropFirst(count)
        }
        if isCut { return nil }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return count == 0 ? answer : nil }
            answer += piece[..<count]
        }
    }
}
