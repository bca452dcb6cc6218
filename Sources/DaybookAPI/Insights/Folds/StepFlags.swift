import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools

/// Which steps each record of a slice is, a bit for each; 0 for a record that does not count.
struct StepFlags {
    private let steps: [Insight.Step]
    private let times: Range<Int64>
    /// Whether events that are no step count as well; their flags are ``other``.
    private let countsOthers: Bool

    /// The flag of an event that counts, but is no step.
    static let other: UInt16 = 1 << 15

    init(_ steps: [Insight.Step], times: Range<Int64>, countsOthers: Bool = false) {
        (self.steps, self.times, self.countsOthers) = (steps, times, countsOthers)
    }

    /// The columns that ``flags(of:)`` reads.
    var columns: Set<ColumnName> {
        var names: Set<ColumnName> = [.field(.kind), .field(.tag)]
        for test in steps.flatMap(\.tests) { names.formUnion(test.places) }
        return names
    }

    func flags(of slice: ColumnSlice) -> [UInt16] {
        guard let tags = slice[.field(.tag)], let kinds = slice[.field(.kind)],
            let event = (0..<kinds.count).first(where: { kinds.text($0 + 1) == "event" }).map({ $0 + 1 })
        else { return Array(repeating: 0, count: slice.count) }
        let ofTags = [0] + (0..<tags.count).map { ofTag(tags.text($0 + 1) ?? "") }
        let untested = steps.indices.filter { steps[$0].tests.isEmpty }.reduce(UInt16(0)) { $0 | 1 << UInt16($1) }
        let tests = steps.indices.filter { !steps[$0].tests.isEmpty }.map { place in
            (flag: UInt16(1) << UInt16(place), tests: steps[place].tests.map { TestedColumn($0, slice) })
        }
        var flags = [UInt16](repeating: 0, count: slice.count)
        flags.withUnsafeMutableBufferPointer { flags in
            for place in 0..<slice.count where kinds.codes[place] == event {
                let all = ofTags[Int(tags.codes[place])]
                guard all != 0, times.contains(slice.times[place]) else { continue }
                var holds = all & (untested | Self.other)
                for (flag, tests) in tests where all & flag != 0 && tests.allSatisfy({ $0.holds(at: place) }) {
                    holds |= flag
                }
                flags[place] = holds
            }
        }
        return flags
    }

    private func ofTag(_ tag: String) -> UInt16 {
        var flags: UInt16 = countsOthers && !OwnRecords.have(tag) ? Self.other : 0
        for (place, step) in steps.enumerated() where step.pattern.judges(tag) { flags |= 1 << UInt16(place) }
        return flags
    }
}

/// A test, decided for each value that occurs in a slice.
private struct TestedColumn {
    private let ofAbsent: Bool
    /// The record's own column first, then its context's: whether the test holds for a value, by number.
    private var places: [(codes: [UInt16], holds: [Bool])] = []

    init(_ test: ColumnTest, _ slice: ColumnSlice) {
        ofAbsent = test.holds(for: nil)
        for name in test.places {
            guard let column = slice[name] else { continue }
            let holds = (0..<column.count).map { number in
                column.value(number + 1).map { test.holds(for: ChecklistValue($0)) } ?? false
            }
            places.append((column.codes, [ofAbsent] + holds))
        }
    }

    func holds(at place: Int) -> Bool {
        for column in places where column.codes[place] != 0 { return column.holds[Int(column.codes[place])] }
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
        case let name: [.own(name), .common(name)]
        }
    }
}
