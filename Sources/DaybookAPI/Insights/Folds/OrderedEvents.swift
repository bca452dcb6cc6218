import DaybookBase
import DaybookStore

/// An event that counts.
struct PersonEvent {
    var time: Int64
    var person: Int32
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
        var order = PersonOrder()
        try source.forEach(request(people)) { slice in
            var events = events(of: slice, &people, &tags)
            for _ in order.count..<max(order.count, people.count) { fold.addPerson() }
            for person in order.admit(&events, of: people.count) { fold.leaveOut(person) }
            fold.add(events)
            return !people.isFull && !fold.isFull
        }
        guard !people.isFull, !fold.isFull else { return nil }
        // They get new numbers, behind all others.
        let first = people.count
        for person in order.late {
            people.addAlias(of: person)
            fold.addPerson()
        }
        var batches = order.late.isEmpty ? 0 : 1
        var batch = 0
        while batch < batches {
            guard var events = try lateEvents(order.numbers, batch, of: batches, &people, &tags) else {
                batches *= 2
                batch *= 2
                continue
            }
            for place in events.indices { events[place].person += Int32(first) }
            fold.add(events)
            batch += 1
        }
        return fold.isFull ? nil : Counted(fold: fold, people: people, tags: tags)
    }

    private func request(_ people: PersonCodes) -> ColumnRequest {
        ColumnRequest(valued: steps.columns.union(people.valued), keyed: people.keyed, times: times)
    }

    /// The events of a slice that count, in order of arrival.
    private func events(
        of slice: ColumnSlice, _ people: inout PersonCodes, _ tags: inout TextNumbers
    ) -> [PersonEvent] {
        let found = steps.find(in: slice)
        guard !found.places.isEmpty, let column = slice[.field(.tag)] else { return [] }
        let persons = people.people(of: found, in: slice, source.key)
        var numbers: [Int32] = []
        if Fold.readsAll {
            numbers = [-1] + (0..<column.count).map { Int32(tags.number(of: column.text($0 + 1) ?? "")) }
        }
        return Array(unsafeUninitializedCapacity: persons.count) { events, written in
            for (index, person) in persons.enumerated() where person >= 0 {
                let place = Int(found.places[index])
                let tag = Fold.readsAll ? numbers[Int(column.codes[place])] : 0
                events.initializeElement(
                    at: written,
                    to: PersonEvent(time: slice.times[place], person: person, flags: found.flags[index], tag: tag))
                written += 1
            }
        }
    }

    /// The events of a batch of the people who have late ones, each person's in order; `nil` if they are too many.
    /// - Parameter numbers: For each person the number among the late, from 1; 0 for others.
    /// - Returns: Events of people by their numbers among the late, from 0.
    private func lateEvents(
        _ numbers: [Int32], _ batch: Int, of batches: Int, _ people: inout PersonCodes, _ tags: inout TextNumbers
    ) throws(StoreError) -> [PersonEvent]? {
        var late: [PersonEvent] = []
        // One person's events cannot be parted.
        let isLast = batches > numbers.count
        try source.forEach(request(people)) { slice in
            for var event in events(of: slice, &people, &tags) {
                let number = numbers[Int(event.person)]
                guard number > 0, Int(number) % batches == batch else { continue }
                event.person = number - 1
                late.append(event)
            }
            return late.count <= Self.mostSorted || isLast
        }
        guard late.count <= Self.mostSorted || isLast else { return nil }
        // The sort is stable: events of one time stay in order of arrival.
        late.sort { ($0.person, $0.time) < ($1.person, $1.time) }
        return late
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
