import DaybookBase
import DaybookStore

/// An event that counts.
struct PersonEvent {
    var time: Int64
    var person: Int32
    /// Which steps it is; ``FunnelFold`` says which one is excluded.
    var flags: UInt16
    /// The tag's number in ``OrderedEvents/Counted/tags``; 0 where a fold reads no tags.
    var tag: Int32
    /// The parameter's value, by its number in ``OrderedEvents/Counted/values``; 0 where nothing is divided by one.
    var value: Int32
}

/// What takes each person's events in the order of their times; events of one time in order of arrival.
protocol OrderedFold {
    /// Whether events that are no step count too, and their tags.
    static var readsAll: Bool { get }
    /// Bytes of memory for each person.
    static func size(of insight: Insight) -> Int

    init(_ insight: Insight, _ bounds: FoldBounds)
    /// Whether it has used up its memory.
    var isFull: Bool { get }
    /// Adds a person, with the next number.
    mutating func addPerson()
    mutating func add(_ events: [PersonEvent])
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
        var values: DividingValues
    }

    private let insight: Insight
    private let times: Range<Int64>
    private let source: any ColumnSource
    private let sight: FoldSight
    private let steps: StepFlags

    init(_ insight: Insight, times: Range<Int64>, _ source: any ColumnSource, _ sight: FoldSight) {
        (self.insight, self.times, self.source, self.sight) = (insight, times, source, sight)
        steps = StepFlags(insight.events, times: times, countsOthers: Fold.readsAll, sight.masking)
    }

    /// - Parameter take: Receives what has been counted, in parts of different people.
    func run(_ take: (Counted) throws(StoreError) -> Void) throws(StoreError) {
        try PeopleParts.forEach { part throws(StoreError) in
            guard let counted = try counted(part) else { return false }
            try take(counted)
            return true
        }
    }

    /// Counts a part of the people; `nil` if they do not fit into the memory.
    private func counted(_ part: PeopleParts) throws(StoreError) -> Counted? {
        let most = max(1, sight.bounds.memory / (Fold.size(of: insight) + 28))
        var people = PersonCodes(insight, part, most: most, sight)
        var fold = Fold(insight, sight.bounds)
        var tags = TextNumbers()
        var values = DividingValues(insight, sight)
        var order = PersonOrder()
        // One person cannot be parted.
        func fits() -> Bool { !people.isFull && (!fold.isFull || people.count == 1) }
        try source.forEach(request(people, times)) { slice throws(StoreError) in
            var events = events(of: slice, steps, &people, &tags, &values)
            for _ in order.count..<max(order.count, people.count) { fold.addPerson() }
            for person in order.admit(&events, of: people.count) { fold.leaveOut(person) }
            fold.add(events)
            try sight.bounds.check(names: max(tags.texts.count, people.versions.texts.count, values.texts.count))
            return fits()
        }
        guard fits() else { return nil }
        if !order.late.isEmpty {
            // Late people get new numbers, behind all others.
            let first = Int32(people.count)
            for person in order.late {
                people.addAlias(of: person)
                fold.addPerson()
            }
            try forEachLate(order.numbers, &people, &tags, &values) { events in
                for place in events.indices { events[place].person += first }
                fold.add(events)
            }
        }
        return fold.isFull && people.count > 1 + order.late.count
            ? nil : Counted(fold: fold, people: people, tags: tags, values: values)
    }

    private func request(_ people: PersonCodes, _ times: Range<Int64>) -> ColumnRequest {
        let valued = steps.columns.union(people.valued).union(DividingValues.columns(insight, sight))
        return ColumnRequest(valued: valued, keyed: people.keyed, times: times, records: steps.records)
    }

    /// The events of a slice that count, in order of arrival.
    private func events(
        of slice: ColumnSlice, _ steps: StepFlags, _ people: inout PersonCodes, _ tags: inout TextNumbers,
        _ values: inout DividingValues
    ) -> [PersonEvent] {
        let found = steps.find(in: slice)
        guard !found.places.isEmpty, let column = slice[.field(.tag)] else { return [] }
        let persons = people.people(of: found, in: slice, source.key)
        var numbers: [Int32] = []
        if Fold.readsAll {
            numbers = [-1] + (0..<column.count).map { Int32(tags.number(of: column.text($0 + 1) ?? "")) }
        }
        let divided = values.numbers(of: found, in: slice)
        return Array(unsafeUninitializedCapacity: persons.count) { events, written in
            for (index, person) in persons.enumerated() where person >= 0 {
                let place = Int(found.places[index])
                let tag = Fold.readsAll ? numbers[Int(column.codes[place])] : 0
                events.initializeElement(
                    at: written,
                    to: PersonEvent(
                        time: slice.times[place], person: person, flags: found.flags[index], tag: tag,
                        value: divided.isEmpty ? 0 : divided[index]))
                written += 1
            }
        }
    }

    /// Passes all events of the people who have late ones in the order of their times, in parts that fit into the
    /// memory.
    /// - Parameters:
    ///   - numbers: For each person the number among the late, from 1; 0 for others.
    ///   - body: Receives events of people by their numbers among the late, from 0.
    private func forEachLate(
        _ numbers: [Int32], _ people: inout PersonCodes, _ tags: inout TextNumbers, _ values: inout DividingValues,
        _ body: (inout [PersonEvent]) -> Void
    ) throws(StoreError) {
        var windows = [times]
        while let window = windows.popLast() {
            let steps = self.steps.within(window)
            var late: [PersonEvent] = []
            // Events of one time are in order of arrival already.
            var fits: Bool { late.count <= sight.bounds.sorted || window.count == 1 }
            try source.forEach(request(people, window)) { slice in
                for var event in events(of: slice, steps, &people, &tags, &values) where numbers[Int(event.person)] > 0
                {
                    event.person = numbers[Int(event.person)] - 1
                    late.append(event)
                }
                return fits
            }
            guard fits else {
                let middle = window.lowerBound + Int64(window.count / 2)
                windows += [middle..<window.upperBound, window.lowerBound..<middle]
                continue
            }
            // The sort is stable: events of one time stay in order of arrival.
            late.sort { ($0.person, $0.time) < ($1.person, $1.time) }
            body(&late)
        }
    }
}

/// Whose events have arrived in the order of their times so far.
private struct PersonOrder {
    private var last: [Int64] = []
    /// For each person the number among the late ones, from 1; 0 for others.
    private(set) var numbers: [Int32] = []
    /// People of whom an event came late, in the order of their numbers.
    private(set) var late: [Int] = []

    var count: Int { last.count }

    /// Takes the events of late people out.
    /// - Parameter count: How many people there are by now.
    /// - Returns: Who is late by one of these events, and was not before.
    mutating func admit(_ events: inout [PersonEvent], of count: Int) -> [Int] {
        if count > last.count {
            last += Array(repeating: .min, count: count - last.count)
            numbers += Array(repeating: 0, count: count - numbers.count)
        }
        let known = late.count
        var admitted = 0
        events.withUnsafeMutableBufferPointer { events in
            last.withUnsafeMutableBufferPointer { last in
                for place in events.indices {
                    let event = events[place]
                    let person = Int(event.person)
                    if event.time >= last[person], numbers[person] == 0 {
                        last[person] = event.time
                        events[admitted] = event
                        admitted += 1
                    } else if numbers[person] == 0 {
                        late.append(person)
                        numbers[person] = Int32(late.count)
                    }
                }
            }
        }
        events.removeLast(events.count - admitted)
        return Array(late[known...])
    }
}
