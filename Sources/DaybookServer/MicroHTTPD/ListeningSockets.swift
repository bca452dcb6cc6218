#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Opens every address of a configuration on one port.
enum ListeningSockets {
    /// - Throws: `HTTPServerError`; then nothing is left open.
    static func open(addresses: [String], port: Int) throws(HTTPServerError) -> [ListeningSocket] {
        // With port 0 the system chooses for the first address; another process may hold that port on the next one.
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
                // A machine without IPv6 still has its other loopback.
                if address == "::1" && error.code == .addressUnavailable && !sockets.isEmpty { continue }
                for socket in sockets { close(socket.descriptor) }
                throw error
            }
        }
        guard !sockets.isEmpty else { throw .invalidAddress("no address") }
        return sockets
    }
}
