import Testing

@testable import DaybookHTTPServer

@Suite(.timeLimit(.minutes(5))) struct PortSharingTests {
    static let addresses = ["127.0.0.1", "::1", "0.0.0.0", "::", "192.0.2.7", "2001:db8::7"]
    static let pairs = addresses.flatMap { one in addresses.map { (one, $0) } }

    /// Whether listeners on both addresses would take each other's clients.
    static func overlap(_ one: String, _ other: String) -> Bool {
        one.contains(":") == other.contains(":") && (one == other || [one, other].contains(where: SocketAddress.isAny))
    }

    private func interfaces(like any: String) -> [String] {
        Self.addresses.filter { !SocketAddress.isAny($0) && $0.contains(":") == any.contains(":") }
    }

    /// On Darwin: a bind fails for an equal address only.
    @Test("A listener finds one on an overlapping address where only equal addresses collide", arguments: pairs)
    func findsOverlap(first: String, second: String) {
        let isShared = PortSharing.isShared(second, interfaces: interfaces) { $0 == first }
        #expect((first == second || isShared) == Self.overlap(first, second))
    }

    /// The IPv4 part of an IPv6 wildcard is the IPv4 wildcard.
    @Test("A listener finds an IPv6 wildcard that takes IPv4 too", arguments: ["127.0.0.1", "192.0.2.7", "::1"])
    func findsDualWildcard(address: String) {
        #expect(PortSharing.isShared(address, interfaces: interfaces) { $0 == "0.0.0.0" || $0 == "::" })
    }

    @Test(
        "Two servers never share a port of overlapping addresses",
        arguments: ["127.0.0.1", "::1", "0.0.0.0", "::"].flatMap { one in
            ["127.0.0.1", "::1", "0.0.0.0", "::"].map { (one, $0) }
        })
    func serversShareNoPort(first: String, second: String) async throws {
        let one = server(on: first, port: 0)
        let port: Int
        do {
            port = try one.start()
        } catch {
            // A machine without IPv6.
            #expect(error.code == .addressUnavailable && first.contains(":"), "\(error)")
            return
        }
        let other = server(on: second, port: port)
        do {
            try other.start()
            #expect(!Self.overlap(first, second))
        } catch {
            // Without overlap, another program may have the port, or there is no IPv6.
            #expect(error.code == .addressInUse || !Self.overlap(first, second), "\(error)")
            if Self.overlap(first, second) {
                #expect(
                    error.description.contains("\(second.contains(":") ? "[\(second)]" : second):\(port) is in use"))
            }
        }
        await other.stop()
        await one.stop()
    }

    private func server(on address: String, port: Int) -> HTTPServer {
        HTTPServer(
            configuration: HTTPServerConfiguration(addresses: [address], port: port, threads: 1), handler: ok(""))
    }
}
