/// Decides which waiting batches are committed together: in the order of their arrival, as many as fit.
struct CommitGroup<Waiting> {
    /// Rows in one commit. A larger batch is committed alone.
    private let rowLimit: Int
    private var pending: [(waiting: Waiting, rows: Int)] = []

    init(rowLimit: Int) { self.rowLimit = rowLimit }

    /// Whether nothing waits.
    var isEmpty: Bool { pending.isEmpty }

    /// Whether more waits than one commit takes.
    var isFull: Bool { pending.reduce(0) { $0 + $1.rows } >= rowLimit }

    /// How long what waits is to wait on.
    /// - Parameters:
    ///   - window: how long a batch waits for others.
    ///   - waited: how long the first of them has waited already.
    func delay(window: Duration, waited: Duration) -> Duration { isFull ? .zero : max(.zero, window - waited) }

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
            if count > 0, overflows || sum > rowLimit { break }
            rows = sum
            count += 1
        }
        defer { pending.removeFirst(count) }
        return pending[..<count].map(\.waiting)
    }
}
