import Testing

@testable import DaybookCLI

@Suite struct ExposureTests {
    @Test("A loopback address needs neither TLS nor keys", arguments: ["127.0.0.1", "127.8.9.1", "::1"])
    func loopbackNeedsNothing(address: String) throws {
        #expect(Exposure.missing(addresses: [address], hasTLS: false, hasKeys: false) == nil)
    }

    @Test(
        "An address that others can reach needs TLS and keys",
        arguments: ["0.0.0.0", "::", "192.168.1.2", "127.0.0.1.evil", "1127.0.0.1", "fe80::1", "127.0.0"])
    func exposureNeedsTLSAndKeys(address: String) throws {
        for (hasTLS, hasKeys) in [(false, false), (true, false), (false, true)] {
            let missing = Exposure.missing(addresses: ["127.0.0.1", address], hasTLS: hasTLS, hasKeys: hasKeys)
            #expect(missing?.contains("--tls-cert") == !hasTLS)
            #expect(missing?.contains("--keys") == !hasKeys)
        }
        #expect(Exposure.missing(addresses: [address], hasTLS: true, hasKeys: true) == nil)
    }

    @Test("Listening addresses must be numeric") func requiresNumericAddresses() throws {
        for address in ["127.0.0.1", "0.0.0.0", "::", "fe80::1"] { #expect(try Exposure.numeric(address) == address) }
        for name in ["localhost", "", "127.0.0", "[::1]"] {
            #expect(throws: UsageError.self) { try Exposure.numeric(name) }
        }
    }
}
