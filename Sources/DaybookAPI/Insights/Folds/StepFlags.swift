import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools

/// Finds the records of a slice that are a step, or count otherwise.
struct StepFlags {
    /// Such records: their places, and a bit for each step that they are.
    struct Found {
        var places: [UInt16] = []
        var flags: [UInt16] = []
    }

    private let steps: [Insight.Step]
    private let times: Range<Int64>
    /// Whether events that are no step count as well; their flags are ``other``.
    private let countsOthers: Bool
    /// Whether records of other kinds count too.
    private let readsAllKinds: Bool
    /// Tests see stand-ins for private values and credentials; `nil` for the values.
    private let masking: MaskingPolicy?

    /// The flag of an event that counts, step or not.
    static let other: UInt16 = 1 << 15

    init(
        _ steps: [Insight.Step], times: Range<Int64>, countsOthers: Bool = false, readsAllKinds: Bool = false,
        _ masking: MaskingPolicy?
    ) {
        (self.steps, self.times, self.countsOthers) = (steps, times, countsOthers)
        (self.readsAllKinds, self.masking) = (readsAllKinds, masking)
    }

    /// The same in a shorter time.
    func within(_ times: Range<Int64>) -> StepFlags {
        StepFlags(steps, times: times, countsOthers: countsOthers, readsAllKinds: readsAllKinds, masking)
    }

    /// The columns that ``find(in:)`` reads.
    var columns: Set<ColumnName> {
        var names: Set<ColumnName> = [.field(.kind), .field(.tag)]
        let tests = steps.flatMap(\.tests)
        for test in tests { names.formUnion(test.places) }
        if let masking, !tests.isEmpty { names.formUnion(RecordClasses.columns(masking)) }
        return names
    }

    /// The records among which ``find(in:)`` finds any.
    var records: ColumnRequest.Records {
        let tags = steps.compactMap(\.pattern.onlyTag)
        return ColumnRequest.Records(
            onlyEvents: !readsAllKinds, tags: countsOthers || tags.count < steps.count ? nil : tags)
    }

    func find(in slice: ColumnSlice) -> Found {
        guard let tags = slice[.field(.tag)], let kinds = slice[.field(.kind)] else { return Found() }
        let event = (1..<kinds.count + 1).first { kinds.text($0) == "event" } ?? 0
        if event == 0, !readsAllKinds { return Found() }
        let ofTags = [0] + (0..<tags.count).map { ofTag(tags.text($0 + 1) ?? "") }
        guard ofTags.contains(where: { $0 != 0 }) else { return Found() }
        var found = candidates(tags.codes, ofTags, kinds.codes, readsAllKinds ? nil : UInt16(event))
        let tested = steps.indices.filter { !steps[$0].tests.isEmpty }
        let isWithin = slice.isWithin(times)
        guard !tested.isEmpty || !isWithin else { return found }
        let classes = masking.map { RecordClasses($0, slice) }
        var tests = tested.map { place in
            (flag: UInt16(1) << UInt16(place), tests: steps[place].tests.map { TestedColumn($0, slice, classes) })
        }
        var count = 0
        for index in found.places.indices {
            let place = Int(found.places[index])
            guard isWithin || times.contains(slice.times[place]) else { continue }
            var flags = found.flags[index]
            for step in tests.indices where flags & tests[step].flag != 0 {
                for test in tests[step].tests.indices where !tests[step].tests[test].holds(at: place) {
                    flags &= ~tests[step].flag
                    break
                }
            }
            (found.places[count], found.flags[count]) = (UInt16(place), flags)
            if flags != 0 { count += 1 }
        }
        found.places.removeLast(found.places.count - count)
        found.flags.removeLast(found.flags.count - count)
        return found
    }

    /// Events whose tags are those of a step.
    /// - Parameter event: The number of their kind; `nil` for records of all kinds.
    private func candidates(_ tags: [UInt16], _ ofTags: [UInt16], _ kinds: [UInt16], _ event: UInt16?) -> Found {
        guard let event else { return candidates(tags, ofTags, Array(repeating: 0, count: tags.count), 0) }
        var found = Found()
        var count = 0
        found.flags = Array(repeating: 0, count: tags.count)
        found.places = Array(unsafeUninitializedCapacity: tags.count) { places, written in
            found.flags.withUnsafeMutableBufferPointer { flags in
                // Without a branch, which nothing could predict: what is no step is overwritten by the next.
                for place in tags.indices {
                    let flag = kinds[place] == event ? ofTags[Int(tags[place])] : 0
                    flags[count] = flag
                    places[count] = UInt16(truncatingIfNeeded: place)
                    count += flag != 0 ? 1 : 0
                }
            }
            written = count
        }
        found.flags.removeLast(tags.count - count)
        return found
    }

    private func ofTag(_ tag: String) -> UInt16 {
        // What comes next is never one of the collector's own records.
        if countsOthers, OwnRecords.have(tag) { return 0 }
        var flags: UInt16 = countsOthers ? Self.other : 0
        for (place, step) in steps.enumerated() where step.pattern.judges(tag) { flags |= 1 << UInt16(place) }
        return flags
    }
}

/// A test, decided once for each value that is met in a slice.
private struct TestedColumn {
    private enum Verdict: UInt8 { case unknown, holds, fails }

    private let test: ColumnTest
    private let ofAbsent: Bool
    /// The record's own column first, then its context's.
    private var columns: [(codes: [UInt16], column: SeenColumn, verdicts: [Verdict])] = []

    /// - Parameter classes: `nil` if the test sees private values.
    init(_ test: ColumnTest, _ slice: ColumnSlice, _ classes: RecordClasses?) {
        self.test = test
        ofAbsent = test.holds(for: nil)
        columns = test.places.compactMap { name in
            SeenColumn(name, of: slice, classes).map {
                ($0.codes, $0, Array(repeating: .unknown, count: $0.count + 1))
            }
        }
    }

    mutating func holds(at place: Int) -> Bool {
        for index in columns.indices {
            let group = Int(columns[index].codes[place])
            guard group != 0 else { continue }
            if columns[index].verdicts[group] == .unknown {
                let value = columns[index].column.seen(group)
                let holds = test.holds(for: value.flatMap { ChecklistValue($0) })
                columns[index].verdicts[group] = holds ? .holds : .fails
            }
            return columns[index].verdicts[group] == .holds
        }
        return ofAbsent
    }
}

extension ColumnTest {
    /// The columns that it reads, the one that takes precedence first.
    fileprivate var places: [ColumnName] {
        switch column {
        case "_session": [.field(.session)]
        case "_installation": [.field(.installation)]
        case "_level": [.field(.level)]
        case let name: [.own(ExactText(name)), .common(ExactText(name))]
        }
    }
}
