/// The streams of a ``MemoryStore``.
struct MemoryStreams {
    private var accounts: [String: StreamLedger] = [:]
    private var settled: [String: IntervalSet] = [:]
    private var senders: [String: String] = [:]
    private var losses: [String: [String: Int64]] = [:]

    init() {}

    /// The places of the rows that are new; what the batch settles is settled.
    mutating func settle(_ batch: RecordBatch) -> [Int] {
        guard let origin = batch.origin else { return Array(batch.rows.indices) }
        let settlement = Settlement(rows: batch.rows, origin: origin, known: settled[origin.stream] ?? IntervalSet())
        settled[origin.stream] = settlement.settled
        let identity = StreamIdentity(batch)
        var account =
            accounts[origin.stream]
            ?? StreamLedger(
                stream: origin.stream, installation: nil, version: nil, stored: 0, duplicates: 0, settled: [],
                losses: [:])
        account.installation = account.installation ?? identity.installation
        account.version = account.version ?? identity.version
        account.stored += Int64(settlement.newRows.count)
        account.duplicates += Int64(batch.rows.count - settlement.newRows.count)
        accounts[origin.stream] = account
        if let report = batch.losses {
            senders[origin.stream] = report.sender
            losses[report.sender, default: [:]].merge(report.counts) { max($0, $1) }
        }
        return settlement.newRows
    }

    mutating func forget(installation: String) {
        for stream in accounts.keys where accounts[stream]?.installation == installation {
            accounts[stream]?.installation = nil
        }
    }

    /// All accounts, by stream.
    var ledger: [StreamLedger] {
        accounts.values.sorted { $0.stream < $1.stream }.map { account in
            var account = account
            account.settled = (settled[account.stream]?.intervals ?? [])
                .map { .init(after: $0.after, through: $0.through) }
            account.losses = senders[account.stream].flatMap { losses[$0] } ?? [:]
            return account
        }
    }
}
