import Daybook
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Logs to Daybook and counts the calls, so that the demo can compare that count with the collector's. Your app needs
/// only `Log`.
struct AppLog: Sendable {
    private let log: Log
    private let tally: Tally

    init(_ tag: String, tally: Tally) {
        log = Log(tag)
        self.tally = tally
    }

    func post(_ event: some LogEvent) {
        log.post(event)
        tally.count()
    }

    func post(_ event: String, _ attributes: LogValues) {
        log.post(event, attributes)
        tally.count()
    }

    func info(_ message: String, _ attributes: LogValues = [:]) {
        log.info(message, attributes)
        tally.count()
    }

    func error(_ error: any Error) {
        log.error(error)
        tally.count()
    }

    func measure<Result: Sendable>(_ name: String, _ body: () async throws -> Result) async rethrows -> Result {
        defer { tally.count() }
        return try await log.measure(name) { try await body() }
    }

    func start(_ name: String) -> LogMeasurement { log.start(name) }

    func end(_ measurement: LogMeasurement, _ attributes: LogValues = [:]) {
        measurement.end(attributes)
        tally.count()
    }

    func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        defer { tally.count() }
        return try await log.recording().data(for: request)
    }
}
