import DaybookTools

/// Finds out what occupies a port, from the system's list.
enum PortUse {
    private static let listening = "0A"
    /// Bytes of a list: of 100,000 sockets.
    private static let longest = 16 << 20

    /// Whether the port is occupied only by open or recently closed connections, without a listener. `SO_REUSEADDR`
    /// does not help if the connection's socket was opened without it. Linux only.
    static func isByConnectionsAlone(_ port: Int?) -> Bool {
        guard let port else { return false }
        // The file reports no size, and is read in pieces.
        let states = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { path -> [String] in
            let list = try? RegularFile.bytes(of: path, limit: longest)
            return list.map { Self.states(of: port, in: String(decoding: $0, as: UTF8.self)) } ?? []
        }
        return !states.isEmpty && !states.contains(listening)
    }

    /// The states of a port's sockets in /proc/net/tcp format.
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
