/// Whose a batch is, as its rows tell.
package struct StreamIdentity {
    package var installation: String?
    package var version: String?

    package init(_ batch: RecordBatch) {
        installation = batch.rows.first?.installation
        version = batch.rows.first.flatMap { ContextFields($0.context).version }
    }
}
