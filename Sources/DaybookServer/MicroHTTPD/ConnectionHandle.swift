import CMicroHTTPD

/// The library's connection.
///
/// Sound to pass between threads: `MHD_resume_connection` is documented as safe from any thread, and it is called only
/// while our state says that the connection is suspended, during which the library neither touches nor frees it.
/// Everything else is called only from the library's callbacks for this connection, on the thread that owns it.
struct ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Only in the library's callbacks.
    func suspend() { MHD_suspend_connection(pointer) }
    /// Once for each `suspend`.
    func resume() { MHD_resume_connection(pointer) }
}
