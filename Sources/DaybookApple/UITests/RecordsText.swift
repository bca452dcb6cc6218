import Daybook
import Synchronization

/// Keeps the latest records as the text that a UI test reads: NDJSON, one record a line, as `daybook verify` takes it.
///
/// An accessibility value has no stated limit, but the test's process gets a copy at each look; so the text is bounded.
/// Where lines have gone, the first line is a message with the tag `daybook.records` that tells how many. Safe to share
/// between threads.
public final class RecordsText: Output {
    public let id = "records-text"
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var lines: [String] = []
        var bytes = 0
        var gone = 0
    }

    /// - Parameter bytes: About so much text is kept. Default 64 KiB; at least 1 KiB.
    public init(bytes: Int = 64 << 10) { limit = max(1 << 10, bytes) }

    public func write(_ record: Record) {
        let line = TextFormat.json.text(of: record)
        state.withLock { state in
            state.lines.append(line)
            state.bytes += line.utf8.count + 1
            var excess = 0
            while state.bytes > limit, excess < state.lines.count - 1 {
                state.bytes -= state.lines[excess].utf8.count + 1
                excess += 1
            }
            state.lines.removeFirst(excess)
            state.gone += excess
        }
    }

    /// What is kept, oldest first; no line end behind the last line.
    public var text: String {
        let (lines, gone) = state.withLock { ($0.lines, $0.gone) }
        guard gone > 0 else { return lines.joined(separator: "\n") }
        let note = Record(
            time: 0, kind: .message, level: .warning, tag: "daybook.records",
            message: "Earlier records are not shown: there is no room for more.",
            attributes: ["gone": .int(Int64(gone))])
        return ([TextFormat.json.text(of: note)] + lines).joined(separator: "\n")
    }

    /// Forgets what is kept: before the part of a test that counts.
    public func clear() { state.withLock { $0 = State() } }
}
