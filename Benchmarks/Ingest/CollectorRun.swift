import DaybookBase
import Foundation

/// One run of a collector under load.
struct CollectorRun {
    /// Records a second, from the first request to the last response.
    var rate: Double
    /// The collector's processor time per record.
    var microseconds: Double
    var peakMegabytes: Int

    /// Starts a collector on a new store and sends each client's compressed requests, every client on its own thread.
    /// - Parameter store: Its address; a SQLite file by default.
    static func measure(_ daybook: String, _ shares: [[[UInt8]]], store: String? = nil) throws -> CollectorRun {
        let collector = try RunningCollector(daybook, store: store)
        defer { collector.stop() }
        let before = try collector.usage()
        let start = ContinuousClock.now
        try send(shares, to: collector.port)
        let seconds = (ContinuousClock.now - start).inSeconds
        let after = try collector.usage()
        let records = Double(shares.joined().count * 512)
        return CollectorRun(
            rate: records / seconds, microseconds: (after.seconds - before.seconds) / records * 1e6,
            peakMegabytes: after.peakMegabytes)
    }

    private static func send(_ shares: [[[UInt8]]], to port: UInt16) throws {
        let failure = FirstFailure()
        let clients = DispatchGroup()
        for share in shares {
            clients.enter()
            Thread.detachNewThread {
                defer { clients.leave() }
                do {
                    let client = try CollectorSocket(port: port)
                    for body in share { try client.post(body) }
                } catch {
                    failure.note(error)
                }
            }
        }
        clients.wait()
        try failure.check()
    }
}

private final class FirstFailure: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func note(_ new: any Error) { error.withLock { $0 = $0 ?? new } }

    func check() throws { if let error = error.withLock({ $0 }) { throw error } }
}
