#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// A listening socket. Opened by us, because the library would not report why it failed.
struct ListeningSocket {
    let descriptor: Int32
    let address: String
    let port: Int
    let isIPv6: Bool

    /// - Throws: `HTTPServerError` that names the address.
    static func open(address: String, port: Int) throws(HTTPServerError) -> ListeningSocket {
        let socket = try bound(address: address, port: port)
        let endpoint = SocketAddress.endpoint(address, socket.port)
        do throws(HTTPServerError) {
            #if canImport(Darwin)
                let isShared = PortSharing.isShared(address, interfaces: SocketAddress.ofInterfaces(like:)) { other in
                    isTaken(other, socket.port)
                }
                if isShared { throw .addressInUse(endpoint) }
            #endif
            guard listen(socket.descriptor, SOMAXCONN) == 0 else { throw failure(endpoint) }
            return socket
        } catch {
            close(socket.descriptor)
            throw error
        }
    }

    #if canImport(Darwin)
        private static func isTaken(_ address: String, _ port: Int) -> Bool {
            do throws(HTTPServerError) {
                close(try bound(address: address, port: port).descriptor)
                return false
            } catch {
                return error.code == .addressInUse
            }
        }
    #endif

    /// A socket with its address, which does not listen yet.
    private static func bound(address: String, port: Int) throws(HTTPServerError) -> ListeningSocket {
        let endpoint = SocketAddress.endpoint(address, port)
        guard (0...65535).contains(port) else { throw .invalidAddress(endpoint) }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &list) == 0, let info = list else {
            throw .invalidAddress(endpoint)
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(info.pointee.ai_family, info.pointee.ai_socktype, info.pointee.ai_protocol)
        guard descriptor >= 0 else { throw failure(endpoint) }
        do throws(HTTPServerError) {
            return try bind(descriptor, info.pointee, address, endpoint)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func bind(
        _ descriptor: Int32, _ info: addrinfo, _ address: String, _ endpoint: String
    ) throws(HTTPServerError) -> ListeningSocket {
        let isIPv6 = info.ai_family == AF_INET6
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // A restarted server must not wait for connections in TIME_WAIT.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
        if isIPv6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, size) }
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0,
            systemBind(descriptor, info.ai_addr, info.ai_addrlen)
        else { throw failure(endpoint, info.ai_addr) }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port = withUnsafeMutablePointer(to: &storage) { storage -> Int? in
            // `sockaddr_storage` may be read as any of the address types; the port is at the same offset in both.
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> Int? in
                guard getsockname(descriptor, generic, &length) == 0 else { return nil }
                return generic.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int(UInt16(bigEndian: $0.pointee.sin_port))
                }
            }
        }
        guard let port else { throw failure(endpoint) }
        return ListeningSocket(descriptor: descriptor, address: address, port: port, isIPv6: isIPv6)
    }

    private static func failure(_ endpoint: String, _ address: UnsafePointer<sockaddr>? = nil) -> HTTPServerError {
        switch errno {
        case EADDRINUSE:
            PortUse.isByConnectionsAlone(SocketAddress.port(address))
                ? .portOfConnection(endpoint) : .addressInUse(endpoint)
        case EADDRNOTAVAIL, EAFNOSUPPORT: .addressUnavailable(endpoint)
        case EACCES, EPERM: .permissionDenied(endpoint)
        default: .system(endpoint, String(cString: strerror(errno)))
        }
    }
}

/// `bind(2)`, which a method shadows.
private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> Bool {
    bind(descriptor, address, length) == 0
}

/// Opens all configured addresses on one port.
enum ListeningSockets {
    /// - Throws: `HTTPServerError`; then nothing is left open.
    static func open(addresses: [String], port: Int) throws(HTTPServerError) -> [ListeningSocket] {
        // With port 0 the system chooses for the first address, and the port may be taken on the next one: retry.
        for _ in 0..<16 where port == 0 {
            do throws(HTTPServerError) {
                return try openOnce(addresses, port)
            } catch {
                guard error.code == .addressInUse else { throw error }
            }
        }
        return try openOnce(addresses, port)
    }

    private static func openOnce(_ addresses: [String], _ wanted: Int) throws(HTTPServerError) -> [ListeningSocket] {
        var sockets: [ListeningSocket] = []
        var port = wanted
        for address in addresses {
            do throws(HTTPServerError) {
                let socket = try ListeningSocket.open(address: address, port: port)
                sockets.append(socket)
                port = socket.port
            } catch {
                // A machine without IPv6 still has IPv4 loopback.
                if address == "::1" && error.code == .addressUnavailable && !sockets.isEmpty { continue }
                for socket in sockets { close(socket.descriptor) }
                throw error
            }
        }
        guard !sockets.isEmpty else { throw .invalidAddress("no address") }
        return sockets
    }
}

enum SocketAddress {
    /// `127.0.0.1:51234` or `[::1]:51234`; empty for other families.
    static func text(_ address: UnsafePointer<sockaddr>?) -> String {
        parts(address).map { endpoint($0.host, $0.port) } ?? ""
    }

    static func port(_ address: UnsafePointer<sockaddr>?) -> Int? { parts(address).flatMap { Int($0.port) } }

    /// Whether it is a wildcard address.
    static func isAny(_ address: String) -> Bool { ["0.0.0.0", "::"].contains(address) }

    /// The addresses of the machine's interfaces.
    /// - Parameter any: `0.0.0.0` for IPv4, `::` for IPv6.
    static func ofInterfaces(like any: String) -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        // The list is the system's, and read before it is freed.
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

    /// As in a URL.
    static func endpoint(_ address: String, _ port: some CustomStringConvertible) -> String {
        address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    private static func string(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
