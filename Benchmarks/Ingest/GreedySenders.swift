import DaybookBase
import DaybookCollector
import DaybookTesting
import DaybookTrials
import Foundation

/// The cost to others of senders far beyond their quota: they ignore the wait they are told and resend after a network
/// round trip.
struct GreedySenders {
    private final class Tally: Sendable {
        let isOver = Atomic(false)
        let taken = Atomic(0)
        let refused = Atomic(0)
    }

    let daybook: String
    let count: Int

    /// Times a good client's requests alone, then beside the greedy ones, and prints both. Throws if a request of the
    /// good client is refused.
    func run() throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let (good, greedy) = (APIKey(), APIKey())
        let quota = KeyQuota(recordsPerMinute: 5_120)
        try KeyFile.change(folder.path + "/keys", creates: true) { keys in
            keys = [
                StoredKey(good, name: "good", purpose: .ingest, created: 0, quota: KeyQuota()),
                StoredKey(greedy, name: "greedy", purpose: .ingest, created: 0, quota: quota),
            ]
        }
        let collector = try RunningCollector(daybook, options: ["--keys", folder.path + "/keys"])
        defer { collector.stop() }
        let requests = SampleRequests(client: 0, count: 700).compressed
        let client = try CollectorSocket(port: collector.port, key: good.text)
        // Warm-up.
        for body in requests[..<100] { try client.post(body) }
        let alone = try client.times(of: requests[100..<400])

        let body = SampleRequests(client: 1, count: 1, isNumbered: false).compressed[0]
        let tally = Tally()
        let roundTrip = 0.005
        let senders = DispatchGroup()
        for _ in 0..<count {
            let port = collector.port
            DispatchQueue.global().async(group: senders) {
                guard let socket = try? CollectorSocket(port: port, key: greedy.text) else { return }
                while !tally.isOver.load(ordering: .relaxed), let answer = try? socket.exchange(body) {
                    if answer.status == 200 {
                        tally.taken.add(1, ordering: .relaxed)
                    } else {
                        tally.refused.add(1, ordering: .relaxed)
                    }
                    Thread.sleep(forTimeInterval: roundTrip)
                }
            }
        }
        let beside = try client.times(of: requests[400...])
        tally.isOver.store(true, ordering: .relaxed)
        senders.wait()
        let (quiet, busy) = (Percentile.of99(alone), Percentile.of99(beside))
        print(
            "\(count) greedy senders, \(tally.taken.load(ordering: .relaxed)) of their requests taken and "
                + "\(tally.refused.load(ordering: .relaxed)) refused: p99 of a good client \(Ratio.text(quiet)) ms alone, "
                + "\(Ratio.text(busy)) ms beside them (\(Ratio.text(busy / quiet))×), all of its \(beside.count) requests taken"
        )
    }
}
