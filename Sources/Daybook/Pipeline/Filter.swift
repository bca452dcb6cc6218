/// Changes, splits or drops records before anything of them reaches a disk.
///
/// Called on the logging thread: it must be quick and must not wait. What it logs itself is dropped and counted.
public protocol Filter: Sendable {
    /// Calls `emit` for each record that takes the place of `record`: never to drop it, once to keep or change it, more
    /// often to split it.
    /// - Parameters:
    ///   - record: The record.
    ///   - captured: What the pattern's wildcard stands for in the record's tag; `nil` if the pattern has none.
    ///   - emit: Takes what replaces the record.
    func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void)
}
