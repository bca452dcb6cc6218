import DaybookHTTP

/// What every connection of a server shares.
final class ServerCore: Sendable {
    let handler: any HTTPHandler
    let limits: HTTPServerLimits
    let clock: MonotonicClock
    let onExchange: (@Sendable (HTTPExchange) -> Void)?
    let table: ConnectionTable
    let active = ActiveExchanges()

    init(
        handler: any HTTPHandler, limits: HTTPServerLimits, clock: MonotonicClock,
        onExchange: (@Sendable (HTTPExchange) -> Void)?
    ) {
        self.handler = handler
        self.limits = limits
        self.clock = clock
        self.onExchange = onExchange
        table = ConnectionTable(limit: limits.connections)
    }
}
