/// How two recordings of the same journeys differ, event by event: what an old and a new log system each have.
///
/// Streaming in memory: counts and columns of each tag are kept, no records. A value type without locks.
public struct RecordingComparison: Sendable {
    /// Which recording a record is of.
    public enum Side: Sendable {
        case old, new
    }

    /// One column of one event.
    public struct ColumnSummary: Sendable, Hashable {
        /// How many records have it, old and new.
        public var old = 0
        public var new = 0
        /// Type names of its values, old and new, in alphabetical order.
        public var oldTypes: Set<String> = []
        public var newTypes: Set<String> = []
        /// How many records have each value, new minus old; `nil` with more than 20,000 that differ.
        fileprivate var balance: [ChecklistValue: Int]? = [:]

        /// How many values the old recording has more often than the new one; `nil` if there are too many to tell.
        public var onlyOld: Int? { balance?.values.reduce(0) { $0 + max(0, -$1) } }
        /// How many values the new recording has more often than the old one.
        public var onlyNew: Int? { balance?.values.reduce(0) { $0 + max(0, $1) } }
    }

    /// One event.
    public struct EventSummary: Sendable, Hashable {
        public var old = 0
        public var new = 0
        public var columns: [String: ColumnSummary] = [:]
    }

    private static let tagLimit = 100_000
    private static let valueLimit = 20_000
    /// By tag.
    public private(set) var events: [String: EventSummary] = [:]
    /// Records whose tags are beyond the first 100,000.
    public private(set) var uncounted = 0

    /// A comparison of nothing.
    public init() {}

    /// Takes a record of one of the recordings.
    public mutating func add(_ record: FixtureRecord, _ side: Side) {
        guard events.count < Self.tagLimit || events[record.tag] != nil else { return uncounted += 1 }
        switch side {
        case .old: events[record.tag, default: EventSummary()].old += 1
        case .new: events[record.tag, default: EventSummary()].new += 1
        }
        for (column, value) in record.columns {
            events[record.tag, default: EventSummary()].columns[column, default: ColumnSummary()].add(
                value.key, side, limit: Self.valueLimit)
        }
    }

    /// The tags whose records differ, in order.
    public var differences: [String] {
        events.keys.filter { tag in
            guard let event = events[tag] else { return false }
            return event.old != event.new || event.columns.values.contains(where: \.differs)
        }.sorted()
    }

    /// Whether both recordings are the same in all that is compared.
    public var isEmpty: Bool { differences.isEmpty && uncounted == 0 }

    /// The differences, a block for each event, and a sum.
    public func report() -> String {
        var lines: [String] = []
        for tag in differences {
            guard let event = events[tag] else { continue }
            var line = "✗ \(tag): \(event.old) old, \(event.new) new"
            if event.old == 0, let near = NearestName.of(tag, among: missing(.new)) {
                line += "; perhaps \(near) before"
            }
            lines.append(line)
            guard event.old > 0, event.new > 0 else { continue }
            for (column, summary) in event.columns.sorted(by: { $0.key < $1.key }) where summary.differs {
                lines.append("  \(column): " + summary.differences.joined(separator: "; "))
            }
        }
        let same = events.count - differences.count
        lines.append("\(same) of \(events.count) events are the same")
        for (tag, event) in events.sorted(by: { $0.key < $1.key }) {
            for (column, summary) in event.columns.sorted(by: { $0.key < $1.key }) where summary.onlyOld == nil {
                lines.append("the values of \(column) of \(tag) were not compared: over \(Self.valueLimit) that differ")
            }
        }
        if uncounted > 0 { lines.append("\(uncounted) records of further events were not compared") }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The tags that a side lacks.
    private func missing(_ side: Side) -> [String] {
        events.filter { side == .new ? $0.value.new == 0 : $0.value.old == 0 }.keys.sorted()
    }
}

extension RecordingComparison.ColumnSummary {
    fileprivate mutating func add(_ value: ChecklistValue, _ side: RecordingComparison.Side, limit: Int) {
        switch side {
        case .old:
            old += 1
            oldTypes.insert(value.typeName)
        case .new:
            new += 1
            newTypes.insert(value.typeName)
        }
        guard balance != nil else { return }
        balance?[value, default: 0] += side == .new ? 1 : -1
        if balance?[value] == 0 { balance?[value] = nil }
        if balance.map({ $0.count > limit }) ?? false { balance = nil }
    }

    fileprivate var differs: Bool { !differences.isEmpty }

    fileprivate var differences: [String] {
        var result: [String] = []
        if old != new { result.append("in \(old) old, \(new) new records") }
        if oldTypes != newTypes, old > 0, new > 0 {
            result.append(
                "\(oldTypes.sorted().joined(separator: " or ")) became \(newTypes.sorted().joined(separator: " or "))")
        } else if let onlyOld, let onlyNew, onlyOld > 0 || onlyNew > 0, old > 0, new > 0 {
            let example = balance?.sorted { $0.key.description < $1.key.description }
            let lost = example?.first { $0.value < 0 }.map { ", such as \($0.key)" } ?? ""
            let gained = example?.first { $0.value > 0 }.map { ", such as \($0.key)" } ?? ""
            result.append("\(onlyOld) values only old\(lost); \(onlyNew) only new\(gained)")
        }
        return result
    }
}
