import DaybookBase
import DaybookTesting
import DaybookTrials
import Foundation

/// The cost of hostile statements on the SQL screen, to a client that sends records and to the collector's memory.
struct HostileStatements {
    /// Each client runs one of these, again as soon as it is answered.
    private static let statements: [String] = {
        let doubled = (1...20).map { "a\($0) AS (SELECT * FROM a\($0 - 1) UNION ALL SELECT * FROM a\($0 - 1))" }
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        return [
            "SELECT count(*) FROM records a, records b",
            "SELECT trim(hex(zeroblob(500000)), replace(hex(zeroblob(40000)),'00','12')||'0')",
            "WITH a0 AS (SELECT 1 x UNION ALL SELECT 2), \(doubled.joined(separator: ", ")) SELECT count(*) FROM a20",
            "SELECT \(Array(repeating: "zeroblob(1000000)", count: 1_000).joined(separator: ", "))",
            "\(numbers) SELECT hex(randomblob(5000)) FROM n ORDER BY 1",
            "\(numbers) SELECT json_group_array(i) FROM n",
            "\(numbers) SELECT replace(hex(zeroblob(2000)), '0', char(1)) FROM n",
            "SELECT a.*, b.* FROM records a, records b ORDER BY random()",
        ]
    }()

    let daybook: String
    let count: Int

    /// Times a client's requests alone, then beside the statements, and prints both with the collector's memory.
    func run() throws {
        let requests = SampleRequests(client: 0, count: 900).compressed
        let collector = try RunningCollector(daybook)
        defer { collector.stop() }
        let good = try CollectorSocket(port: collector.port)
        // Warm-up.
        for body in requests[..<100] { try good.post(body) }
        let alone = try times(of: requests[100..<500], good) {}
        let before = try collector.usage().residentMegabytes
        let (port, token) = (collector.port, collector.token)
        let isOver = Flag()
        for number in 0..<count {
            Thread.detachNewThread {
                while !isOver.isSet, let socket = try? CollectorSocket(port: port) {
                    try? socket.run(Self.statements[number % Self.statements.count], token: token)
                }
            }
        }
        var most = before
        let beside = try times(of: requests[500...], good) { most = max(most, try collector.usage().residentMegabytes) }
        isOver.set()
        let (quiet, busy) = (Percentile.of99(alone), Percentile.of99(beside))
        print(
            "\(count) hostile statements: p99 of a client \(Ratio.text(quiet)) ms alone, \(Ratio.text(busy)) ms beside them "
                + "(\(Ratio.text(busy / quiet))×), RSS \(before) MB, then at most \(most) MB")
    }

    /// Milliseconds of each request, one every 50 ms, so that the statements get their share of time.
    private func times(
        of bodies: some Sequence<[UInt8]>, _ socket: CollectorSocket, _ each: () throws -> Void
    ) throws -> [Double] {
        try bodies.map { body in
            let start = ContinuousClock.now
            try socket.post(body)
            let time = (ContinuousClock.now - start).inSeconds * 1_000
            try each()
            Thread.sleep(forTimeInterval: max(0, 0.05 - time / 1_000))
            return time
        }
    }
}

/// Set once, from another thread.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}
