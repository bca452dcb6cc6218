import DaybookHTTP
import DaybookHTTPServer

/// Runs a server on a free port around `body` and stops it. Its clock stands still, so that a busy machine causes no
/// timeouts.
func withServer<Result: Sendable>(
    _ handler: any HTTPHandler,
    limits: HTTPServerLimits = HTTPServerLimits {
        $0.sweepInterval = .milliseconds(5)
    },
    hostNames: [String] = [], clock: MonotonicClock = HeldMonotonicClock().monotonic,
    onExchange: (@Sendable (ServedRequest) -> Void)? = nil,
    _ body: (HTTPServer, Int) async throws -> Result
) async throws -> Result {
    let server = HTTPServer(
        configuration: HTTPServerConfiguration(
            addresses: ["127.0.0.1"], port: 0, hostNames: hostNames, limits: limits),
        handler: handler, clock: clock, onExchange: onExchange)
    let port = try server.start()
    do {
        let result = try await body(server, port)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}
