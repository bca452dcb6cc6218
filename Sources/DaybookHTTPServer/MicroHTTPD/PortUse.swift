import DaybookTools

/// Who has a port, by the system's own list.
enum PortUse {
    private static let listening = "0A"
    /// Bytes of a list: of 100,000 sockets.
    private static let longest = 16 << 20

    /// Whether connections have the port, open ones or some that were just closed, and nobody listens on it. `SO_REUSEADDR`
    /// does not help where the connection's own socket was made without it. Only Linux tells.
    static func isByConnectionsAlone(_ port: Int?) -> Bool {
        guard let port else { return false }
        // The list has no size, and comes in pieces.
        let states = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { path -> [String] in
            let list = try? RegularFile.bytes(of: path, limit: longest)
            return list.map { Self.states(of: port, in: String(decoding: $0, as: UTF8.self)) } ?? []
        }
        return !states.isEmpty && !states.contains(listening)
    }

    /// The states of the sockets of a port in a list as Linux writes it.
    static func states(of port: Int, in list: String) -> [String] {
        TextLines.split(list).dropFirst().compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 3, let own = words[1].split(separator: ":").last, Int(own, radix: 16) == port else {
                return nil
            }
            return String(words[3])
        }
    }
}
