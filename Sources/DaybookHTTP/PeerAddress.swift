/// The remote end of a connection, `127.0.0.1:51234` or `[::1]:51234`.
package enum PeerAddress {
    /// Identifies a client: the address without port; for IPv6 the /64 network, which is one customer's.
    package static func network(of peer: String) -> String {
        let end = peer.lastIndex(of: ":") ?? peer.endIndex
        let host = peer[..<end]
        guard host.hasPrefix("[") else { return String(host) }
        // The network's four groups; those abbreviated by `::` are zeros.
        let groups = host.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        return groups.prefix { !$0.isEmpty }.prefix(4).joined(separator: ":")
    }
}
