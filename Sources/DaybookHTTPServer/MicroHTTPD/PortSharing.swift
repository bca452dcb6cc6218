/// Listeners that a system lets share a port: a wildcard's and one of its addresses'.
///
/// Linux refuses the second of them. Darwin, told by `SO_REUSEADDR` not to wait for closed connections, compares only
/// equal addresses: the second would take the first one's clients, or get none, and nobody would notice. So there each
/// listener, once bound, tries the addresses that overlap with its own. Of two that start at once, at least one finds the
/// other.
enum PortSharing {
    /// A try at binding an address: whether another socket has it.
    typealias Try = (_ address: String) -> Bool

    /// Whether a listener on an address overlapping with this one has its port.
    /// - Parameters:
    ///   - interfaces: the machine's addresses of a wildcard's family.
    ///   - isTaken: tries an address on the same port.
    static func isShared(_ address: String, interfaces: (String) -> [String], isTaken: Try) -> Bool {
        overlapping(address, interfaces: interfaces).contains(where: isTaken)
    }

    /// An IPv6 wildcard that also takes IPv4 has the IPv4 wildcard's place, so it needs no try of its own.
    private static func overlapping(_ address: String, interfaces: (String) -> [String]) -> [String] {
        if SocketAddress.isAny(address) { return interfaces(address) }
        return [address.contains(":") ? "::" : "0.0.0.0"]
    }
}
