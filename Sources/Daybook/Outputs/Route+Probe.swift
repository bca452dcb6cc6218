import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Route {
    /// The name of the launch environment's variable that holds the address of a test's log probe.
    public static let probeVariable = "DAYBOOK_PROBE"

    /// The route to the log probe of the test that launched this process; `nil` where none did. Put it before the routes
    /// to the network, and these into its `else`, so that no test log reaches production:
    ///
    /// ```
    /// if let probe = Route.toProbe() { probe } else { Route("**", to: OTLPOutput(endpoint: url)) }
    /// ```
    ///
    /// Only an address of this machine is taken, so that a forgotten variable sends nothing elsewhere.
    /// - Parameter environment: Where the address is looked for. Default: the process's.
    public static func toProbe(environment: [String: String] = ProcessInfo.processInfo.environment) -> Route? {
        guard let text = environment[probeVariable], let url = URL(string: text), url.scheme == "http",
            ["127.0.0.1", "localhost", "::1", "[::1]"].contains(url.host ?? "")
        else { return nil }
        // The test judges what was logged; nothing leaves the machine.
        var format = TextFormat.json
        format.showsPrivate = true
        let output = HTTPOutput(
            id: "probe",
            request: { _ in
                var request = URLRequest(url: url.appendingPathComponent("v1/events"))
                request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
                return request
            },
            body: { [format] records in Data(records.map { format.text(of: $0) + "\n" }.joined().utf8) })
        return Route("**", to: output, batch: BatchLimits(count: 64, delay: .milliseconds(20)))
    }
}
