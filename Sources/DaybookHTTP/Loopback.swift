/// The ways a client on the same machine names a server.
public enum Loopback {
    /// The hosts that always mean this machine, as they stand in a `Host` header.
    public static let hosts = ["127.0.0.1", "localhost", "[::1]"]

    /// The values of `Host` that reach `port` on this machine. Clients leave out port 80.
    public static func authorities(port: Int) -> [String] {
        let withPort = hosts.map { "\($0):\(port)" }
        return port == 80 ? withPort + hosts : withPort
    }
}
