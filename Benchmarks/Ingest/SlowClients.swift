import Foundation

/// The cost to others of clients that send a byte now and then.
struct SlowClients {
    let daybook: String
    let count: Int

    /// Times a good client's requests alone, then beside the slow ones, half of them in their head and half in their
    /// body, and prints both with the collector's memory.
    func run() throws {
        let requests = SampleRequests(client: 0, count: 400).compressed
        let collector = try RunningCollector(daybook)
        defer { collector.stop() }
        let good = try CollectorSocket(port: collector.port)
        // Warm-up.
        for body in requests[..<100] { try good.post(body) }
        let alone = try good.times(of: requests[100..<250])
        let before = try collector.usage().residentMegabytes
        let slow = try (0..<count).map { number in
            let socket = try CollectorSocket(port: collector.port)
            try socket.begin(bodyLength: number % 2 == 0 ? nil : 65_536)
            return socket
        }
        var beside: [Double] = []
        var most = before
        var ended: Set<Int> = []
        for (place, body) in requests[250..<400].enumerated() {
            // A byte of every slow client in the time of ten good requests.
            for number in (place % 10 * count / 10)..<((place % 10 + 1) * count / 10) {
                // On a slow machine they reach the collector's deadlines, as intended.
                do { try slow[number].send([0x61]) } catch { ended.insert(number) }
            }
            beside += try good.times(of: [body])
            most = max(most, try collector.usage().residentMegabytes)
        }
        let (quiet, busy) = (Percentile.of99(alone), Percentile.of99(beside))
        print(
            "\(count) slow clients: p99 of a good client \(Ratio.text(quiet)) ms alone, \(Ratio.text(busy)) ms beside them "
                + "(\(Ratio.text(busy / quiet))×), RSS \(before) MB, then at most \(most) MB; the collector ended \(ended.count) of them"
        )
    }
}

extension CollectorSocket {
    /// Milliseconds of each request.
    func times(of bodies: some Sequence<[UInt8]>) throws -> [Double] {
        try bodies.map { body in
            let start = ContinuousClock.now
            try post(body)
            return (ContinuousClock.now - start).inSeconds * 1_000
        }
    }
}

enum Percentile {
    /// The 99th percentile.
    static func of99(_ times: [Double]) -> Double { times.sorted()[times.count * 99 / 100] }
}
