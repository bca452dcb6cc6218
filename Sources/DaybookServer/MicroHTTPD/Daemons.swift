import CMicroHTTPD
import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The library's daemons, one for each address, and the sweep beside them.
///
/// Sound to pass between threads: the pointers are only handed to `MHD_stop_daemon`, once, by whoever takes the value
/// out of the server's state; the retained core is released after that.
struct Daemons: @unchecked Sendable {
    private let daemons: [OpaquePointer]
    private let core: Unmanaged<ServerCore>
    private let sweep: any DispatchSourceTimer

    /// Room for the head, and the reply's head or a part of the body beside it.
    private static let connectionMemory = 64 * 1024

    /// - Throws: `HTTPServerError` where the library refuses (no memory, no threads); the sockets are closed then.
    static func start(on sockets: [ListeningSocket], threads: Int, core: ServerCore) throws(HTTPServerError) -> Daemons
    {
        let retained = Unmanaged.passRetained(core)
        let callbacks = Callbacks.make(context: retained.toOpaque())
        var daemons: [OpaquePointer] = []
        for (index, socket) in sockets.enumerated() {
            // The limit in all is ours, at the accept callback; the library's own would leave clients waiting in the
            // queue of one thread while another has room.
            let daemon = daybook_mhd_start(
                socket.descriptor, socket.isIPv6 ? 1 : 0, UInt32(threads), UInt32(core.limits.connections + threads),
                connectionMemory, callbacks)
            guard let daemon else {
                let reason = String(cString: strerror(errno))
                // Those that were started close their sockets themselves.
                for daemon in daemons { MHD_stop_daemon(daemon) }
                for socket in sockets[index...] { close(socket.descriptor) }
                retained.release()
                throw .system(SocketAddress.endpoint(socket.address, socket.port), reason)
            }
            daemons.append(daemon)
        }
        return Daemons(daemons: daemons, core: retained, sweep: startSweep(core))
    }

    private static func startSweep(_ core: ServerCore) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "daybook.http.sweep"))
        let interval = DispatchTimeInterval.nanoseconds(Int(clamping: core.limits.sweepInterval.nanoseconds))
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { core.table.sweep(at: core.clock.now()) }
        timer.resume()
        return timer
    }

    /// Closes every connection and ends the threads. Blocks until they ended. Once, and only when no connection is
    /// suspended or can be any more.
    func stop() {
        for daemon in daemons { MHD_stop_daemon(daemon) }
        sweep.cancel()
        core.release()
    }
}
