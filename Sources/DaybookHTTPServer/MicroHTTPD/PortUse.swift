import Foundation

/// Who has a port, by the system's own list.
enum PortUse {
    private static let listening = "0A"

    /// Whether connections have the port, open ones or some that were just closed, and nobody listens on it. `SO_REUSEADDR`
    /// does not help where the connection's own socket was made without it. Only Linux tells.
    static func isByConnectionsAlone(_ port: Int?) -> Bool {
        guard let port else { return false }
        let lists = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
        let states = lists.flatMap { Self.states(of: port, in: $0) }
        return !states.isEmpty && !states.contains(listening)
    }

    /// The states of the sockets of a port in a list as Linux writes it.
    static func states(of port: Int, in list: String) -> [String] {
        list.split(separator: "\n").dropFirst().compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 3, let own = words[1].split(separator: ":").last, Int(own, radix: 16) == port else {
                return nil
            }
            return String(words[3])
        }
    }
}
