import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Route {
    /// The environment variable that holds the address of a test's log probe.
    public static let probeVariable = "DAYBOOK_PROBE"

    /// The route to the log probe of the test that launched this process; `nil` if none did. Put the routes to the
    /// network into its `else`, so that no test log reaches production:
    ///
    /// ```
    /// if let probe = Route.toProbe() { probe } else { Route("**", to: OTLPOutput(endpoint: url)) }
    /// ```
    ///
    /// Only an address of this machine is accepted, and in a release build none at all: a forgotten or foreign variable
    /// diverts nothing.
    /// - Parameters:
    ///   - inRelease: Whether a release build connects too, for tests of one. Do not set it in what goes to the App
    ///     Store.
    ///   - environment: Where the address is looked up. Default: the process's.
    public static func toProbe(
        inRelease: Bool = false, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Route? {
        #if DEBUG
            let isDebugBuild = true
        #else
            let isDebugBuild = false
        #endif
        let address = ProbeAddress(environment, isDebugBuild: isDebugBuild, inRelease: inRelease)
        guard let url = address.url else { return nil }
        return Route("**", to: ProbeOutput(url), batch: BatchLimits(count: 64, delay: .milliseconds(20)))
    }
}

private struct ProbeOutput: BatchOutput {
    let id = "probe"
    /// The probe is on this machine: a device without a network reaches it.
    let needsNetwork = false
    private let http: HTTPOutput

    init(_ url: URL) {
        // The test judges what was logged; nothing leaves the machine.
        var format = TextFormat.json
        format.showsPrivate = true
        http = HTTPOutput(
            id: id,
            request: { _ in
                var request = URLRequest(url: url)
                request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
                return request
            },
            body: { [format] records in Data(records.map { format.text(of: $0) + "\n" }.joined().utf8) })
    }

    func send(_ batch: Batch) async -> Delivery { await http.send(batch) }
}

/// Where this launch's records go instead of the network.
package struct ProbeAddress: Hashable {
    /// The address that the records are posted to; its path is the probe's secret. `nil` where no test launched the process,
    /// or where what is said is not to be followed.
    package let url: URL?

    package init(_ environment: [String: String], isDebugBuild: Bool, inRelease: Bool) {
        guard isDebugBuild || inRelease, let text = environment[Route.probeVariable], let url = URL(string: text),
            url.scheme == "http", ["127.0.0.1", "localhost", "::1", "[::1]"].contains(url.host ?? "")
        else {
            self.url = nil
            return
        }
        self.url = url
    }
}
