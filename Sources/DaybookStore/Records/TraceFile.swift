import DaybookBase
import DaybookTools

/// Records as a trace file for Perfetto (ui.perfetto.dev) or Chrome's `chrome://tracing`.
///
/// A session is a process; its measurements and requests are intervals on lanes without overlap; other records are
/// marks on a separate lane. Attributes are arguments. Private values and credentials are masked, because such files
/// get shared. Times are in microseconds since the first record, whose time is `otherData.start`.
///
/// A thread's number is unique in the file (0: none), and a process has the number of its first thread, because
/// Perfetto merges threads with equal numbers across processes.
///
/// Format: Google, *Trace Event Format*, JSON object format (phases `X`, `i` and `M`).
public enum TraceFile {
    /// Most records in a file, a limit of viewers; commands refuse more and ask for a session.
    public static let limit = 500_000

    /// The file's text, with credentials and values that senders call private masked. Records may be in any order.
    public static func text(of rows: [RecordRow]) -> String { text(of: rows, masking: MaskingPolicy()) }

    /// - Parameter masking: `nil` masks nothing.
    package static func text(of rows: [RecordRow], masking: MaskingPolicy?) -> String {
        let rows = masking.map { policy in rows.map { $0.masked(by: policy) } } ?? rows
        let start = rows.map(\.time).min() ?? 0
        var events: [String] = []
        var process = 1
        for (session, rows) in sessions(of: rows) {
            events.append(metadata("process_name", session, process: process, thread: process))
            events.append(metadata("thread_name", "records", process: process, thread: process))
            var lanes = TraceLanes()
            for row in rows.sorted(by: isBefore) {
                if let duration = row.span {
                    let lane = lanes.lane(start: row.time, end: row.time + duration)
                    events.append(event(row, "X", process, process + 1 + lane, since: start, duration: duration))
                } else {
                    events.append(event(row, "i", process, process, since: start, duration: nil))
                }
            }
            events += (0..<lanes.count).map { lane in
                metadata("thread_name", "measurements \(lane + 1)", process: process, thread: process + 1 + lane)
            }
            process += 1 + lanes.count
        }
        let time = Timestamp(nanoseconds: start).rfc3339(fractionDigits: 9)
        return "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"start\":\"\(time)\"},\"traceEvents\":[\n"
            + events.joined(separator: ",\n") + "\n]}\n"
    }

    /// By session, ordered by first record; records without a session by installation.
    private static func sessions(of rows: [RecordRow]) -> [(name: String, rows: [RecordRow])] {
        let groups = Dictionary(grouping: rows) { row in
            row.session.map { "session \($0)" } ?? row.installation.map { "installation \($0)" } ?? "records"
        }
        return groups.map { (name: $0.key, rows: $0.value) }.sorted { left, right in
            let (first, second) = (left.rows.map(\.time).min() ?? 0, right.rows.map(\.time).min() ?? 0)
            return (first, left.name) < (second, right.name)
        }
    }

    private static func isBefore(_ left: RecordRow, _ right: RecordRow) -> Bool {
        left.time == right.time ? (left.span ?? -1) > (right.span ?? -1) : left.time < right.time
    }

    private static func event(
        _ row: RecordRow, _ phase: String, _ process: Int, _ thread: Int, since start: Int64, duration: Int64?
    ) -> String {
        var text =
            "{\"ph\":\"\(phase)\",\"pid\":\(process),\"tid\":\(thread),\"ts\":\(micros(elapsed(row.time, start)))"
        // A mark that spans its lane only.
        text += duration.map { ",\"dur\":\(micros($0))" } ?? ",\"s\":\"t\""
        text +=
            ",\"name\":\(quoted(row.traceName)),\"cat\":\(quoted(row.kind.rawValue)),\"args\":\(arguments(of: row))}"
        return text
    }

    private static func metadata(_ key: String, _ name: String, process: Int, thread: Int) -> String {
        "{\"ph\":\"M\",\"pid\":\(process),\"tid\":\(thread),\"name\":\"\(key)\",\"args\":{\"name\":\(quoted(name))}}"
    }

    private static func arguments(of row: RecordRow) -> String {
        var arguments: Attributes = ["level": .string(Level(severityNumber: row.level).name), "tag": .string(row.tag)]
        if let message = row.message { arguments["message"] = .string(message) }
        if let attributes = Attributes(json: row.attributes) {
            for element in attributes.elements where element.key != WireName.privateNames.description {
                arguments[element.key] = element.value
            }
        }
        if let trace = row.traceID { arguments["trace_id"] = .string(trace) }
        return JSONWriter.text(arguments)
    }

    private static func elapsed(_ time: Int64, _ start: Int64) -> Int64 {
        // Wrong clocks may put centuries between two records.
        let (elapsed, isOver) = time.subtractingReportingOverflow(start)
        return isOver ? .max : elapsed
    }

    /// Microseconds with three decimals; a `Double` would lose digits.
    private static func micros(_ nanoseconds: Int64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000)
        return rest == 0 ? "\(whole)" : "\(whole)." + String(rest).zeroPadded(to: 3)
    }

    private static func quoted(_ text: String) -> String { JSONWriter.text(.string(text)) }
}

extension RecordRow {
    /// The duration in nanoseconds, for spans and requests.
    fileprivate var span: Int64? {
        guard let duration, duration >= 0, kind == .span || kind == .request else { return nil }
        // Clamped so that the end does not overflow.
        return min(duration, Int64.max - max(0, time))
    }

    /// The bar's label: a measurement's name, a request's method and path, an event's tag, a message's text.
    fileprivate var traceName: String {
        switch kind {
        case .event: tag
        default: message ?? tag
        }
    }
}

/// Assigns intervals to lanes, on which any two are disjoint or nested, since viewers draw a lane as a call stack.
///
/// Call it in order of start, longest first for equal starts.
private struct TraceLanes {
    /// Per lane, the ends of open intervals, innermost last.
    private var open: [[Int64]] = []

    var count: Int { open.count }

    mutating func lane(start: Int64, end: Int64) -> Int {
        for lane in open.indices {
            while let last = open[lane].last, last <= start { open[lane].removeLast() }
            if let last = open[lane].last, last < end { continue }
            open[lane].append(end)
            return lane
        }
        open.append([end])
        return open.count - 1
    }
}
