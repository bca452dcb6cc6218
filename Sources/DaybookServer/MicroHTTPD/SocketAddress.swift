#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Socket addresses as text.
enum SocketAddress {
    /// `127.0.0.1:51234` or `[::1]:51234`; empty for what is neither IPv4 nor IPv6.
    static func text(_ address: UnsafePointer<sockaddr>?) -> String {
        guard let address else { return "" }
        let isIPv6 = Int32(address.pointee.sa_family) == AF_INET6
        guard isIPv6 || Int32(address.pointee.sa_family) == AF_INET else { return "" }
        let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = getnameinfo(
            address, socklen_t(size), &host, socklen_t(host.count), &port, socklen_t(port.count),
            NI_NUMERICHOST | NI_NUMERICSERV)
        guard result == 0 else { return "" }
        return endpoint(string(host), string(port))
    }

    /// An address and a port as they stand in a URL.
    static func endpoint(_ address: String, _ port: some CustomStringConvertible) -> String {
        address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    private static func string(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
