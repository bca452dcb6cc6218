/// The other end of a connection, `127.0.0.1:51234` or `[::1]:51234`.
package enum PeerAddress {
    /// What stands for a client: the address without the port; of IPv6 the network of 64 bits, which is one customer's.
    package static func network(of peer: String) -> String {
        let end = peer.lastIndex(of: ":") ?? peer.endIndex
        let host = peer[..<end]
        guard host.hasPrefix("[") else { return String(host) }
        // The four groups of the network; those that `::` stands for are zeros.
        let groups = host.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        return groups.prefix { !$0.isEmpty }.prefix(4).joined(separator: ":")
    }
}
