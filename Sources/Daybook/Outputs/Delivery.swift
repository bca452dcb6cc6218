/// What became of a batch.
public enum Delivery: Sendable, Hashable {
    /// It arrived: its records are done.
    case delivered
    /// It arrived, but the receiver will never take this many of its records, and does not say which; they are dropped
    /// and counted.
    case partly(rejected: Int)
    /// It arrived, but the receiver will never take the records at these places in ``Batch/records``; they are put in
    /// quarantine. Places that are not there are ignored.
    case reject([Int], reason: String)
    /// It did not arrive; try again, after this long if the receiver said so.
    case retry(after: Duration?, reason: String)
    /// The receiver refuses the batch as it is: too large, or something in it is bad. It is halved until the record at
    /// fault is found; that one is put in quarantine.
    case refused(reason: String)
    /// The receiver refuses this sender: wrong address or key. The output pauses and keeps its records.
    case pause(reason: String)
}
