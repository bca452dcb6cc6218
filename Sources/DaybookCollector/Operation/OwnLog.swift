import Daybook
import DaybookBase
import DaybookStore

/// The collector's own records, written straight to its store and told to the operator.
///
/// They do not pass the ingest: a collector that logs its own requests over its own requests never ends. What a store
/// that fails cannot take is told to the operator alone. Safe to share between threads; returns at once.
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

    /// A log.
    /// - Parameters:
    ///   - version: the collector's.
    ///   - threshold: records of this level and above are stored; `nil` stores none. Default: warning, for a team's own
    ///     counts should not change with every start of its collector.
    ///   - clock: for the records' time.
    ///   - tell: takes one line for each record, with its line end.
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
        // A store that hangs must not fill the memory; the operator was told the line all the same.
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
    ///   - detail: what the operator and those who see private values are told besides. Default: nothing.
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

    /// Writes what waits, and takes no more.
    package func close() async {
        rows.finish()
        await writing.value
    }
}
