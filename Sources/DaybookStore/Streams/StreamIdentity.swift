/// Whose a batch is, as its rows tell.
struct StreamIdentity {
    var installation: String?
    var version: String?

    init(_ batch: RecordBatch) {
        installation = batch.rows.first?.installation
        version = batch.rows.first.flatMap { ContextFields($0.context).version }
    }
}
