import DaybookBase
import DaybookStore

/// An event that counts, of a person.
struct PersonEvent {
    var time: Int64
    /// Which steps it is.
    var flags: UInt16
    /// The tag's number in ``OrderedEvents/tags``.
    var tag: Int32
}

/// What takes each person's events in the order of their times; events of one time in order of arrival.
protocol OrderedFold {
    /// Whether events that are no step count too, and their tags.
    static var readsAll: Bool { get }
    /// Bytes of memory for each person.
    static func size(of insight: Insight) -> Int

    init(_ insight: Insight)
    /// Whether it has used up its memory.
    var isFull: Bool { get }
    /// Adds a person, with the next number.
    mutating func addPerson()
    mutating func add(_ event: PersonEvent, of person: Int)
    /// Leaves out a person, whose events are added as another one's.
    mutating func leaveOut(_ person: Int)
}

/// Reads each person's events in their order.
///
/// Events mostly arrive in the order of their times, so each goes to the fold as it is read, and nothing is sorted.
/// People of whom an event came late are left out of that pass; theirs are gathered in another one, and sorted. Memory
/// is bounded: people who do not fit are counted in further passes.
struct OrderedEvents<Fold: OrderedFold> {
    /// What has been counted of some of the people.
    struct Counted {
        var fold: Fold
        var people: PersonCodes
        var tags: TextNumbers
    }

    /// An event of somebody whose events are sorted.
    private struct Late {
        var number: Int32
        var event: PersonEvent
    }

    /// Bytes for the people of a pass.
    private static var memory: Int { 96 << 20 }
    /// Events that are sorted at once: 32 bytes each, twice.
    private static var mostSorted: Int { 1 << 20 }

    private let insight: Insight
    private let times: Range<Int64>
    private let source: any ColumnSource
    private let steps: StepFlags

    init(_ insight: Insight, times: Range<Int64>, _ source: any ColumnSource) {
        (self.insight, self.times, self.source) = (insight, times, source)
        steps = StepFlags(insight.steps, times: times, countsOthers: Fold.readsAll)
    }

    /// - Parameter take: Receives what has been counted, in parts of different people.
    func run(_ take: (Counted) throws(StoreError) -> Void) throws(StoreError) {
        var parts = [(part: 0, of: 1)]
        while let (part, count) = parts.popLast() {
            if let counted = try counted(part, of: count) {
                try take(counted)
            } else {
                parts += [(part, count * 2), (part + count, count * 2)]
            }
        }
    }

    /// Counts a part of the people; `nil` if they do not fit into the memory.
    private func counted(_ part: Int, of parts: Int) throws(StoreError) -> Counted? {
        let most = Self.memory / (Fold.size(of: insight) + 28)
        var people = PersonCodes(insight, part: part, parts: parts, most: most)
        var fold = Fold(insight)
        var tags = TextNumbers()
        var last: [Int64] = []
        // For each person 0, or the number among those with late events, from 1.
        var lateNumbers: [Int32] = []
        var late: [Int] = []
        try source.forEach(request(people)) { slice in
            forEach(slice, &people, &tags) { event, person in
                if person == last.count {
                    last.append(.min)
                    lateNumbers.append(0)
                    fold.addPerson()
                }
                guard lateNumbers[person] == 0 else { return }
                guard event.time >= last[person] else {
                    late.append(person)
                    lateNumbers[person] = Int32(late.count)
                    return fold.leaveOut(person)
                }
                last[person] = event.time
                fold.add(event, of: person)
            }
            return !people.isFull && !fold.isFull
        }
        guard !people.isFull, !fold.isFull else { return nil }
        // They get new numbers, behind all others.
        let first = last.count
        for person in late {
            people.addAlias(of: person)
            fold.addPerson()
        }
        var batches = late.isEmpty ? 0 : 1
        var batch = 0
        while batch < batches {
            guard let events = try lateEvents(lateNumbers, batch, of: batches, &people, &tags) else {
                batches *= 2
                batch *= 2
                continue
            }
            for event in events { fold.add(event.event, of: first + Int(event.number) - 1) }
            batch += 1
        }
        return fold.isFull ? nil : Counted(fold: fold, people: people, tags: tags)
    }

    private func request(_ people: PersonCodes) -> ColumnRequest {
        ColumnRequest(valued: steps.columns.union(people.valued), keyed: people.keyed, times: times)
    }

    @inline(__always)
    private func forEach(
        _ slice: ColumnSlice, _ people: inout PersonCodes, _ tags: inout TextNumbers,
        _ body: (PersonEvent, _ person: Int) -> Void
    ) {
        let flags = steps.flags(of: slice)
        guard let column = slice[.field(.tag)] else { return }
        var numbers: [Int32] = []
        if Fold.readsAll {
            numbers = [-1] + (0..<column.count).map { Int32(tags.number(of: column.text($0 + 1) ?? "")) }
        }
        people.forEach(slice, flags, source.key) { place, person in
            let tag = Fold.readsAll ? numbers[Int(column.codes[place])] : 0
            body(PersonEvent(time: slice.times[place], flags: flags[place], tag: tag), person)
        }
    }

    /// The events of a batch of the people who have late ones, each person's in order; `nil` if they are too many.
    /// - Parameter numbers: Of all people.
    private func lateEvents(
        _ numbers: [Int32], _ batch: Int, of batches: Int, _ people: inout PersonCodes, _ tags: inout TextNumbers
    ) throws(StoreError) -> [Late]? {
        var events: [Late] = []
        try source.forEach(request(people)) { slice in
            forEach(slice, &people, &tags) { event, person in
                let number = numbers[person]
                guard number > 0, Int(number) % batches == batch else { return }
                events.append(Late(number: number, event: event))
            }
            return events.count <= Self.mostSorted || batches > numbers.count
        }
        guard events.count <= Self.mostSorted || batches > numbers.count else { return nil }
        // The sort is stable: events of one time stay in order of arrival.
        events.sort { ($0.number, $0.event.time) < ($1.number, $1.event.time) }
        return events
    }
}
