import Testing

@testable import DaybookCLI

@Suite struct ExposureTests {
    @Test(arguments: ["127.0.0.1", "127.8.9.1", "::1"]) func theLoopbackNeedsNothing(address: String) throws {
        try Exposure.check(addresses: [address], hasTLS: false, hasKeys: false, isAllowed: false)
    }

    @Test(arguments: ["0.0.0.0", "::", "192.168.1.2", "127.0.0.1.evil", "1127.0.0.1", "fe80::1", "127.0.0"])
    func whatOthersReachNeedsTLSAndKeys(address: String) throws {
        for (hasTLS, hasKeys) in [(false, false), (true, false), (false, true)] {
            #expect(throws: UsageError.self) {
                try Exposure.check(
                    addresses: ["127.0.0.1", address], hasTLS: hasTLS, hasKeys: hasKeys, isAllowed: false)
            }
        }
        try Exposure.check(addresses: [address], hasTLS: true, hasKeys: true, isAllowed: false)
        try Exposure.check(addresses: [address], hasTLS: false, hasKeys: false, isAllowed: true)
    }
}
