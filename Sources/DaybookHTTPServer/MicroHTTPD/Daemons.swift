import CMicroHTTPD
import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// The library's daemons, one per address, and the sweep timer.
///
/// Sound to pass between threads: the pointers are only passed to `MHD_stop_daemon`, once, by whoever takes the value
/// out of the server's state; the retained core is released after that.
struct Daemons: @unchecked Sendable {
    private let daemons: [OpaquePointer]
    private let core: Unmanaged<ServerCore>
    private let sweep: any DispatchSourceTimer
    /// The library does not say when it is done with these, so they live as long as the daemons.
    private let identity: IdentityText?
    private let callbacks: UnsafeMutablePointer<daybook_mhd_callbacks>

    /// Room for the head, plus the reply's head or a part of the body.
    private static let connectionMemory = 64 * 1024

    /// - Throws: `HTTPServerError` if the library refuses (no memory, no threads); the sockets are then closed.
    static func start(
        on sockets: [ListeningSocket], threads: Int, tls: TLSIdentity?, core: ServerCore
    ) throws(HTTPServerError) -> Daemons {
        let identity = tls.map(IdentityText.init)
        let retained = Unmanaged.passRetained(core)
        // The library's logger keeps the address; freed after the daemons have ended.
        let callbacks = UnsafeMutablePointer<daybook_mhd_callbacks>.allocate(capacity: 1)
        callbacks.initialize(to: Callbacks.make(context: retained.toOpaque()))
        var daemons: [OpaquePointer] = []
        for (index, socket) in sockets.enumerated() {
            // We enforce the total limit in the accept callback. The library's is per thread: clients would wait for
            // one thread while another has room.
            let daemon = daybook_mhd_start(
                socket.descriptor, socket.isIPv6 ? 1 : 0, UInt32(threads), UInt32(core.limits.connections + threads),
                connectionMemory, identity?.certificate, identity?.key, callbacks)
            guard let daemon else {
                let code = errno
                let isIdentityBad = tls != nil && ![EMFILE, ENOMEM, EAGAIN].contains(code)
                // Each daemon closes the socket that it was given, also one that fails to start.
                for daemon in daemons { MHD_stop_daemon(daemon) }
                for socket in sockets[(index + 1)...] { close(socket.descriptor) }
                retained.release()
                callbacks.deallocate()
                identity?.release()
                if isIdentityBad { throw .badIdentity }
                throw .system(SocketAddress.endpoint(socket.address, socket.port), String(cString: strerror(code)))
            }
            daemons.append(daemon)
        }
        return Daemons(
            daemons: daemons, core: retained, sweep: startSweep(core), identity: identity, callbacks: callbacks)
    }

    private static func startSweep(_ core: ServerCore) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "daybook.http.sweep"))
        let interval = DispatchTimeInterval.nanoseconds(Int(clamping: core.limits.sweepInterval.nanoseconds))
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { core.sweep() }
        timer.resume()
        return timer
    }

    /// Closes all connections and joins the threads; blocks. Call once, and only when no connection is or can become
    /// suspended.
    func stop() {
        for daemon in daemons { MHD_stop_daemon(daemon) }
        sweep.cancel()
        core.release()
        callbacks.deallocate()
        identity?.release()
    }
}

/// A certificate and key as C strings. Freed once, by the one place that stops the daemons.
private struct IdentityText {
    let certificate: UnsafeMutablePointer<CChar>?
    let key: UnsafeMutablePointer<CChar>?

    init(_ identity: TLSIdentity) {
        certificate = strdup(identity.certificateChain)
        key = strdup(identity.privateKey)
    }

    func release() {
        free(certificate)
        free(key)
    }
}
