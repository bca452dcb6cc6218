import Daybook
import DaybookBase
import DaybookStore

/// The collector's own records, written directly to its store and shown to the operator.
///
/// They bypass the ingest: logging its own requests by requests would never end. If the store fails, only the operator
/// sees them. Thread-safe; returns at once.
package final class OwnLog: Sendable {
    private let store: any EventStore
    private let clock: PipelineClock
    private let tell: @Sendable (String) -> Void
    private let rows: AsyncStream<RecordRow>.Continuation
    private let writing: Task<Void, Never>
    private let stream: String
    private let next = Atomic<UInt64>(1)
    private let context: String
    private let threshold: Level?

    /// - Parameters:
    ///   - version: the collector's.
    ///   - threshold: the lowest level stored; `nil` stores none. Default: warning, so that a collector's start does
    ///     not change the team's counts.
    ///   - clock: for the records' time.
    ///   - tell: receives a line per record, with its line end.
    package init(
        store: any EventStore, version: String, threshold: Level? = .warning, clock: PipelineClock = .system,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.clock = clock
        self.tell = tell
        self.threshold = threshold
        stream = (0..<3).map { (_: Int) -> String in Hex.text(UInt64.random(in: .min ... .max) as UInt64) }.joined()
        let context: Attributes = ["service.name": "daybook", "service.version": .string(version)]
        self.context = JSONWriter.text(context)
        // Bounded, so that a hanging store does not fill the memory. The operator sees the line anyway.
        let (rows, continuation) = AsyncStream.makeStream(of: RecordRow.self, bufferingPolicy: .bufferingOldest(1_024))
        self.rows = continuation
        writing = Task {
            for await row in rows {
                do {
                    try await store.append(RecordBatch(rows: [row]))
                } catch {
                    tell("daybook: its own record \(row.tag) could not be stored: \(error)\n")
                }
            }
        }
    }

    /// Records an event of the collector.
    /// - Parameters:
    ///   - tag: below `daybook.`, such as `daybook.serve.started`.
    ///   - detail: private; only for the operator and those who see private values. Default: none.
    package func event(
        _ tag: String, _ level: Level, _ message: String, _ attributes: Attributes = [:], private detail: String? = nil
    ) {
        var attributes = attributes
        if let detail {
            attributes["detail"] = .string(detail)
            attributes[WireName.privateNames.description] = .array([.string("detail")])
        }
        var row = RecordRow(
            uid: "\(stream)-\(next.add(1, ordering: .relaxed) - 1)", time: clock.wall(), kind: .event,
            level: Int(level.rawValue), tag: tag, attributes: JSONWriter.text(attributes), context: context)
        row.message = message
        tell("daybook: \(level.name): \(([message] + [detail].compactMap(\.self)).joined(separator: ": ").printable)\n")
        if let threshold, level >= threshold { rows.yield(row) }
    }

    /// Writes queued records and accepts no more.
    package func close() async {
        rows.finish()
        await writing.value
    }
}
