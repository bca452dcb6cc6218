import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Route {
    /// The environment variable with the address of a test's log probe.
    public static let probeVariable = "DAYBOOK_PROBE"

    /// The route to the log probe of the test that launched this process; `nil` if none did. Put network routes into
    /// its `else`, so that no test log reaches production:
    ///
    /// ```
    /// if let probe = Route.toProbe() { probe } else { Route("**", to: OTLPOutput(endpoint: url)) }
    /// ```
    ///
    /// Only a loopback address is accepted, and none in a release build: a forgotten or foreign variable diverts
    /// nothing.
    /// - Parameters:
    ///   - inRelease: Whether a release build connects too, for tests of one. Do not set it for the App Store.
    ///   - environment: Where the address is looked up. Default: the process's.
    public static func toProbe(
        inRelease: Bool = false, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Route? {
        #if DEBUG
            let isDebugBuild = true
        #else
            let isDebugBuild = false
        #endif
        guard let url = probeAddress(in: environment, isDebugBuild: isDebugBuild, inRelease: inRelease) else {
            return nil
        }
        // The test judges what was logged; nothing leaves the machine.
        var format = TextFormat.json
        format.showsPrivate = true
        var output = HTTPOutput(
            id: "probe",
            request: { _ in
                var request = URLRequest(url: url)
                request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
                return request
            },
            body: { [format] records in Data(records.map { format.text(of: $0) + "\n" }.joined().utf8) })
        // The probe is on this machine and reachable without a network.
        output.needsNetwork = false
        return Route("**", to: output, batch: BatchLimits(count: 64, delay: .milliseconds(20)))
    }

    /// The address that records are posted to; its path is the probe's secret. `nil` if no test launched the process,
    /// or if the address is not acceptable.
    package static func probeAddress(
        in environment: [String: String], isDebugBuild: Bool, inRelease: Bool
    ) -> URL? {
        guard isDebugBuild || inRelease, let text = environment[probeVariable], let url = URL(string: text),
            url.scheme == "http", ["127.0.0.1", "localhost", "::1", "[::1]"].contains(url.host ?? "")
        else { return nil }
        return url
    }
}
