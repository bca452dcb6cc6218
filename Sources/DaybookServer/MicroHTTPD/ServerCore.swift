import DaybookHTTP

/// What every connection of a server shares.
final class ServerCore: Sendable {
    let handler: any HTTPHandler
    let limits: HTTPServerLimits
    let clock: MonotonicClock
    let onExchange: (@Sendable (HTTPExchange) -> Void)?
    let table: ConnectionTable
    let active = ActiveExchanges()
    let bodies: BodyBudget
    /// Whether bytes on a socket are TLS's, and nobody else may write there.
    let isSecure: Bool

    /// How much of an unwanted body is read before the reply. Behind TLS no reply can be sent ahead of the body's end, so
    /// there the largest body that an honest client sends is read.
    var discardBytes: Int { isSecure ? max(limits.discardBytes, 16 << 20) : limits.discardBytes }

    init(
        handler: any HTTPHandler, limits: HTTPServerLimits, clock: MonotonicClock,
        isSecure: Bool, onExchange: (@Sendable (HTTPExchange) -> Void)?
    ) {
        self.handler = handler
        self.limits = limits
        self.clock = clock
        self.onExchange = onExchange
        self.isSecure = isSecure
        bodies = BodyBudget(limit: limits.bodyBytes)
        table = ConnectionTable(limit: limits.connections)
    }
}
