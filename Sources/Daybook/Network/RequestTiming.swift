/// How long the parts of an exchange took; `nil` where a part did not happen (a connection that was used again) or is not
/// known. Recorded as `daybook.http.timing.*`, in nanoseconds. Value semantics.
public struct RequestTiming: Sendable, Hashable {
    /// Finding the host's address.
    public var lookup: Duration?
    /// Connecting, the time for TLS included.
    public var connect: Duration?
    /// The TLS handshake alone.
    public var secure: Duration?
    /// Sending the request.
    public var send: Duration?
    /// From the end of the request to the first byte of the answer.
    public var wait: Duration?
    /// Receiving the answer.
    public var receive: Duration?

    /// Nothing known.
    public init() {}

    /// In the order of time.
    var attributes: Attributes {
        let parts = [
            ("lookup", lookup), ("connect", connect), ("secure", secure), ("send", send), ("wait", wait),
            ("receive", receive),
        ]
        return Attributes(
            parts.compactMap { name, part in
                part.map { ("daybook.http.timing.\(name)", .int(Int64(clamping: $0.nanoseconds))) }
            })
    }
}
