/// Decides which waiting batches are committed together: in the order of their arrival, as many as fit.
struct CommitGroup<Waiting> {
    /// Rows in one commit; at the store's rate these take about 10 ms. A larger batch is committed alone.
    static var rowLimit: Int { 4_096 }

    private var pending: [(waiting: Waiting, rows: Int)] = []

    init() {}

    /// Whether nothing waits.
    var isEmpty: Bool { pending.isEmpty }

    /// Queues a batch.
    mutating func add(_ waiting: Waiting, rows: Int) {
        pending.append((waiting, rows))
    }

    /// Takes what the next commit writes; at least one batch where any waits.
    mutating func takeNext() -> [Waiting] {
        var rows = 0
        var count = 0
        while count < pending.count {
            let (sum, overflows) = rows.addingReportingOverflow(pending[count].rows)
            if count > 0, overflows || sum > Self.rowLimit { break }
            rows = sum
            count += 1
        }
        defer { pending.removeFirst(count) }
        return pending[..<count].map(\.waiting)
    }
}
