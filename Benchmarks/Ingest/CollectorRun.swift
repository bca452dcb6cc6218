import DaybookBase
import Foundation

/// One life of a collector under load.
struct CollectorRun {
    /// Records a second, from the first request to the last answer.
    var rate: Double
    /// Processor time of the collector for a record.
    var microseconds: Double
    /// The most memory the collector ever had resident.
    var peakMegabytes: Int

    /// Starts a collector on a new store and sends the compressed requests of each client, every client on a thread of
    /// its own.
    /// - Parameter store: its address; a SQLite file by default.
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

/// What went wrong first on any thread.
private final class FirstFailure: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func note(_ new: any Error) { error.withLock { $0 = $0 ?? new } }

    func check() throws { if let error = error.withLock({ $0 }) { throw error } }
}
