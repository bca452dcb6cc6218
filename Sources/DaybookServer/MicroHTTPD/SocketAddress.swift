#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Socket addresses as text.
enum SocketAddress {
    /// `127.0.0.1:51234` or `[::1]:51234`; empty for what is neither IPv4 nor IPv6.
    static func text(_ address: UnsafePointer<sockaddr>?) -> String {
        parts(address).map { endpoint($0.host, $0.port) } ?? ""
    }

    /// Whether an address stands for all that the machine has.
    static func isAny(_ address: String) -> Bool { ["0.0.0.0", "::"].contains(address) }

    /// The addresses of the machine's interfaces.
    /// - Parameter any: `0.0.0.0` for those of IPv4, `::` for those of IPv6.
    static func ofInterfaces(like any: String) -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        // The list is the system's, and read before it is given back.
        defer { freeifaddrs(first) }
        return sequence(first: first) { $0?.pointee.ifa_next }.prefix { $0 != nil }.compactMap { interface in
            let host = parts(interface?.pointee.ifa_addr)?.host
            return host.flatMap { $0.contains(":") == any.contains(":") ? $0 : nil }
        }
    }

    private static func parts(_ address: UnsafePointer<sockaddr>?) -> (host: String, port: String)? {
        guard let address else { return nil }
        let isIPv6 = Int32(address.pointee.sa_family) == AF_INET6
        guard isIPv6 || Int32(address.pointee.sa_family) == AF_INET else { return nil }
        let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = getnameinfo(
            address, socklen_t(size), &host, socklen_t(host.count), &port, socklen_t(port.count),
            NI_NUMERICHOST | NI_NUMERICSERV)
        return result == 0 ? (string(host), string(port)) : nil
    }

    /// An address and a port as they stand in a URL.
    static func endpoint(_ address: String, _ port: some CustomStringConvertible) -> String {
        address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    private static func string(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
