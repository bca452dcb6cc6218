import DaybookBase
import DaybookTools

/// How two recordings of the same journeys differ, event by event: what an old and a new log system each recorded.
///
/// Streaming: it keeps counts and columns of each tag in memory, but no records. A value type without locks.
public struct RecordingComparison: Sendable {
    /// The recording that a record is from.
    public enum Side: Sendable {
        case old, new
    }

    /// One column of one event.
    public struct ColumnSummary: Sendable, Hashable {
        /// How many records have the column, old and new.
        public var old = 0
        public var new = 0
        /// The names of its values' types, old and new, in alphabetical order.
        public var oldTypes: Set<String> = []
        public var newTypes: Set<String> = []
        /// How often each value occurred; `nil` with more than 20,000 values.
        public fileprivate(set) var values: [ChecklistValue: Count]? = [:]
    }

    /// How often something occurred, old and new.
    public struct Count: Sendable, Hashable {
        public var old = 0
        public var new = 0
    }

    /// One event.
    public struct EventSummary: Sendable, Hashable {
        public var old = 0
        public var new = 0
        public var columns: [String: ColumnSummary] = [:]
        /// A record's values outside its columns, by ``RecordingComparison/others``; for the context, `context.NAME`.
        fileprivate var others: [String: ColumnSummary] = [:]
    }

    /// Compared only on request.
    package static let others = ["level", "kind", "message", "context"]

    private static let tagLimit = 100_000
    private static let valueLimit = 20_000
    fileprivate static let shownValues = 3
    /// The events by tag.
    public private(set) var events: [String: EventSummary] = [:]
    /// The number of records whose tags are beyond the first 100,000.
    public private(set) var uncounted = 0

    /// Whether to compare levels, kinds, messages and contexts, too.
    private let comparesAll: Bool

    /// Creates an empty comparison of tags and columns.
    public init() { self.init(comparesAll: false) }

    /// - Parameter comparesAll: whether to compare ``others``, too; otherwise they are counted where only they differ.
    package init(comparesAll: Bool) { self.comparesAll = comparesAll }

    /// Takes a record of one of the recordings; the collector's own are ignored.
    public mutating func add(_ record: FixtureRecord, _ side: Side) { add(record, with: [:], side) }

    /// - Parameter others: further values by ``others``; for the context, `context.NAME`.
    package mutating func add(_ record: FixtureRecord, with others: [String: ChecklistValue], _ side: Side) {
        guard !OwnRecords.have(record.tag) else { return }
        guard events.count < Self.tagLimit || events[record.tag] != nil else { return uncounted += 1 }
        switch side {
        case .old: events[record.tag, default: EventSummary()].old += 1
        case .new: events[record.tag, default: EventSummary()].new += 1
        }
        for (column, value) in record.columns {
            events[record.tag, default: EventSummary()].columns[column, default: ColumnSummary()].add(
                value.key, side, limit: Self.valueLimit)
        }
        for (name, value) in others {
            events[record.tag, default: EventSummary()].others[name, default: ColumnSummary()].add(
                value.key, side, limit: Self.valueLimit)
        }
    }

    /// The tags whose records differ, in order.
    public var differences: [String] {
        events.keys.filter { tag in
            guard let event = events[tag] else { return false }
            return event.old != event.new || compared(event).contains { $0.summary.differs }
        }.sorted()
    }

    /// What is compared of an event besides its count, by name.
    private func compared(_ event: EventSummary) -> [(name: String, summary: ColumnSummary)] {
        let columns = event.columns.sorted { $0.key < $1.key }
        let others = comparesAll ? event.others.sorted { $0.key < $1.key } : []
        return (columns + others).map { (name: $0.key, summary: $0.value) }
    }

    /// Whether both recordings are the same in everything that is compared.
    public var isEmpty: Bool { differences.isEmpty && uncounted == 0 }

    /// Whether neither recording has anything to compare.
    package var isNothing: Bool { events.isEmpty && uncounted == 0 }

    /// The differences, a block for each event, and a total.
    public func report() -> String { report(masked: { $0 }) }

    /// - Parameters:
    ///   - standIn: replaces a column's values; `nil` keeps them. Default: keeps them.
    ///   - masked: masks a line.
    package func report(standIn: (String) -> String? = { _ in nil }, masked: (String) -> String) -> String {
        var lines: [String] = []
        for tag in differences {
            guard let event = events[tag] else { continue }
            var line = "✗ \(tag): \(event.old) old, \(event.new) new"
            if event.old == 0, let near = NearestName.of(tag, among: missing(.new)) {
                line += "; perhaps \(near) before"
            }
            lines.append(line)
            guard event.old > 0, event.new > 0 else { continue }
            for (name, summary) in compared(event) where summary.differs {
                let column = event.others[name] == nil ? name : String(name.trimmingPrefix("context."))
                lines += summary.differences(standIn(column)).map { "  \(name)\($0)" }
            }
        }
        let same = events.count - differences.count
        lines.append(isNothing ? "nothing compared" : "\(same) of \(events.count) events are the same")
        for (tag, event) in events.sorted(by: { $0.key < $1.key }) {
            for (name, summary) in compared(event) where summary.values == nil {
                lines.append("the values of \(name) of \(tag) were not compared: there are over \(Self.valueLimit)")
            }
        }
        if !comparesAll, events.values.contains(where: { !$0.others.isEmpty }) { lines.append(notCompared) }
        if uncounted > 0 { lines.append("\(uncounted) records of further events were not compared") }
        return lines.map { masked($0).printable + "\n" }.joined()
    }

    /// `not compared: level (1 record differs), kind, message and context; --all compares them`: for otherwise equal
    /// events.
    private var notCompared: String {
        let differing = Set(differences)
        let same = events.filter { !differing.contains($0.key) }.values
        let names = Self.others.map { name in
            let count = same.reduce(0) { sum, event in
                // A record whose context differs in several names counts once.
                let all = event.others.filter { $0.key == name || $0.key.hasPrefix(name + ".") }
                return sum + (all.map(\.value.differing).max() ?? 0)
            }
            return name + (count == 0 ? "" : count == 1 ? " (1 record differs)" : " (\(count) records differ)")
        }
        return "not compared: \(names.joined(separator: ", ")); --all compares them"
    }

    /// Tags that one side lacks.
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
        switch side {
        case .old: values?[value, default: .init()].old += 1
        case .new: values?[value, default: .init()].new += 1
        }
        if let count = values?.count, count > limit { values = nil }
    }

    fileprivate var differs: Bool { !differences(nil).isEmpty }

    /// A lower bound of the records that differ in it.
    fileprivate var differing: Int {
        let gaps = (values ?? [:]).values.map { $0.new - $0.old }
        return max(abs(new - old), gaps.reduce(0) { $0 + max(0, $1) }, gaps.reduce(0) { $0 + max(0, -$1) })
    }

    /// What follows the column's name, one per line.
    /// - Parameter standIn: replaces values.
    fileprivate func differences(_ standIn: String?) -> [String] {
        var result: [String] = []
        if old != new { result.append(": in \(old) old, \(new) new records") }
        guard old > 0, new > 0 else { return result }
        if oldTypes != newTypes {
            result.append(
                ": \(oldTypes.sorted().joined(separator: " or ")) became \(newTypes.sorted().joined(separator: " or "))"
            )
        } else {
            // Largest differences first.
            let others = (values ?? [:]).filter { $0.value.old != $0.value.new }
                .map { (value: standIn ?? $0.key.description, count: $0.value, gap: abs($0.value.new - $0.value.old)) }
                .sorted { ($1.gap, $0.value) < ($0.gap, $1.value) }
            let shown = others.prefix(RecordingComparison.shownValues)
            result += shown.map { " = \($0.value): \($0.count.old) old, \($0.count.new) new" }
            if others.count > shown.count { result.append(": \(others.count - shown.count) more values differ") }
        }
        return result
    }
}
