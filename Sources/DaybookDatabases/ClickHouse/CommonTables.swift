import DaybookStore
import Foundation

/// Writes `claims` and `contests`, and sees to it that what is asked of them is all there is.
///
/// Where shards have replicas, each node has all rows of these tables, and a row is answered for when two nodes have it: a
/// node that dies takes none with it that anybody relied on. What only the dead node has is given up by the others, once
/// the keeper has missed it, and by itself when it comes back (`insert_quorum`). Where one node alone is left, it goes on
/// alone; another one that comes back without it knows from the keeper what it lacks, and waits. Belongs to one thread at a
/// time.
struct CommonTables {
    /// How long the servers may take to bring a row from one to the other.
    private static let patience: Duration = .seconds(10)
    private static let pause: Duration = .milliseconds(10)

    let session: ClickHouseSession
    /// What each statement that writes is sent with.
    let writing: [(String, String)]

    /// Inserts rows on a node that can be reached, from now on the session's.
    func insert(_ bytes: [UInt8], _ statement: String) throws(ClickHouseError) {
        guard session.address.hasReplicas else { return try session.run(statement, body: bytes, settings: writing) }
        let end = ContinuousClock.now + Self.patience
        var copies = 2
        while true {
            do throws(ClickHouseError) {
                return try session.run(
                    statement, body: bytes,
                    settings: writing + [
                        ("insert_quorum", "\(copies)"),
                        ("insert_quorum_timeout", "\(Int(Self.patience / .milliseconds(1)))"),
                    ])
            } catch {
                if error.isAlone, copies > 0 {
                    copies = 0
                } else if error.isInTurn, ContinuousClock.now < end {
                    Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
                } else {
                    throw error
                }
            }
        }
    }

    /// Waits until a node has all that was written to `claims` before now, on whichever node.
    ///
    /// The keeper has a log of what was written. The node takes it over into a queue, and what stands there as a part to be
    /// got is missing yet.
    func catchUp(on node: ClickHouseAddress.Node) throws(ClickHouseError) {
        guard session.address.hasReplicas else { return }
        let end = ContinuousClock.now + Self.patience
        let isClaims = "database = currentDatabase() AND table = 'claims'"
        var last: Int64?
        try wait(for: node, until: end) { () throws(ClickHouseError) in
            let log = try session.rows(
                "SELECT log_max_index, log_pointer FROM system.replicas WHERE \(isClaims) AND is_session_expired = 0",
                on: node)
            guard log.count > 0 else { return false }
            let needed = last ?? log.integer(0, 0)
            last = needed
            // The pointer is behind the last one taken over, and 0 before the first.
            return log.integer(0, 1) > needed || needed == 0
        }
        var missing: Set<String>?
        try wait(for: node, until: end) { () throws(ClickHouseError) in
            let queue = try session.rows(
                "SELECT new_part_name FROM system.replication_queue WHERE \(isClaims) AND type = 'GET_PART'", on: node)
            let queued = Set((0..<queue.count).compactMap { queue.text($0, 0) })
            let rest = missing?.intersection(queued) ?? queued
            missing = rest
            return rest.isEmpty
        }
    }

    private func wait(
        for node: ClickHouseAddress.Node, until end: ContinuousClock.Instant,
        _ isReached: () throws(ClickHouseError) -> Bool
    ) throws(ClickHouseError) {
        while try !isReached() {
            guard ContinuousClock.now < end else {
                throw ClickHouseError(
                    reason: .stopped,
                    message: "ClickHouse at \(node) lacks claims that other nodes had \(Self.patience) ago: "
                        + "see system.replication_queue.")
            }
            Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
        }
    }
}
