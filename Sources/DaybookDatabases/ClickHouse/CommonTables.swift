import DaybookStore
import Foundation

/// Writes `claims` and `contests`, and makes sure that reads of them are complete.
///
/// With replicas, each node has all rows of these tables, and a write needs two nodes (`insert_quorum`), so a node's
/// death loses nothing that was acknowledged. Rows that only the dead node has are abandoned: by the others once the
/// keeper misses it, and by itself when it returns. A last remaining node continues alone; a node that returns learns
/// from the keeper what it lacks, and waits. Confined to one thread at a time.
struct CommonTables {
    /// How long replication may take.
    private static let patience: Duration = .seconds(10)
    private static let pause: Duration = .milliseconds(10)

    let session: ClickHouseSession
    /// Settings for writes.
    let writing: [(String, String)]

    /// Inserts on a reachable node, which stays the session's.
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

    /// Waits until a node has every earlier write to `claims`, on whichever node it was made.
    ///
    /// The keeper logs writes. A node copies the log to its queue; parts still to be fetched are missing.
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
            // The log pointer is one past the last copied entry, and 0 before the first.
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
