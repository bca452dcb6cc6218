import DaybookBase
import DaybookStore

/// Which events come next after an event.
struct PathFold: OrderedFold {
    static var readsAll: Bool { true }

    static func size(of insight: Insight) -> Int { length(of: insight) * 28 }

    /// Tags by number; -1 for none.
    struct Path: Hashable {
        var version: Int32 = 0
        /// Of the event that it begins with.
        var value: Int32 = 0
        var (first, second, third): (Int32, Int32, Int32) = (-1, -1, -1)

        subscript(place: Int) -> Int32 {
            get { place == 0 ? first : place == 1 ? second : third }
            set {
                switch place {
                case 0: first = newValue
                case 1: second = newValue
                default: third = newValue
                }
            }
        }
    }

    /// An event whose next ones are awaited.
    private struct Open {
        var time: Int64
        /// How many came; -1 for an event that begins no path.
        var count: Int32 = -1
        var path = Path()
    }

    private static func length(of insight: Insight) -> Int {
        if case .path(_, let length) = insight.question { length } else { 1 }
    }

    private let length: Int
    private let within: Int64
    /// The last events of each person, `length` of them in a ring.
    private var open: [Open] = []
    private var next: [UInt8] = []
    private var isLeftOut: [Bool] = []
    private var paths: [Path: Int32] = [:]
    private var pathsByNumber: [Path] = []
    /// How often each person took each path.
    private var counts: PairCounts

    init(_ insight: Insight, _ bounds: FoldBounds) {
        counts = PairCounts(most: bounds.found)
        length = Self.length(of: insight)
        within = insight.within ?? .max
    }

    var isFull: Bool { counts.isFull }

    mutating func addPerson() {
        for _ in 0..<length { open.append(Open(time: 0)) }
        next.append(0)
        isLeftOut.append(false)
    }

    mutating func leaveOut(_ person: Int) { isLeftOut[person] = true }

    mutating func add(_ events: [PersonEvent]) {
        for event in events { add(event, of: Int(event.person)) }
    }

    private mutating func add(_ event: PersonEvent, of person: Int) {
        let first = person * length
        for place in first..<first + length where open[place].count >= 0 {
            if event.time - open[place].time <= within { open[place].path[Int(open[place].count)] = event.tag }
            open[place].count += 1
            if open[place].count == length { close(place, person) }
        }
        guard event.flags & 1 != 0 else { return }
        // Fewer than `length` events came since any that is open, so one place is free.
        let place = (first..<first + length).first { open[$0].count < 0 } ?? first
        open[place] = Open(time: event.time, count: 0)
        open[place].path.value = event.value
    }

    private mutating func close(_ place: Int, _ person: Int) {
        let path = open[place].path
        open[place].count = -1
        var number = paths[path]
        if number == nil {
            number = Int32(pathsByNumber.count)
            paths[path] = number
            pathsByNumber.append(path)
        }
        counts.add(path: number ?? 0, person: Int32(person))
    }

    /// Passes each path that a person took, and how often, once nothing more comes.
    mutating func forEach(_ body: (Path, _ person: Int, _ times: Int64) -> Void) {
        for place in open.indices where open[place].count >= 0 && !isLeftOut[place / length] {
            close(place, place / length)
        }
        counts.forEach { path, person, count in
            if !isLeftOut[Int(person)] { body(pathsByNumber[Int(path)], Int(person), count) }
        }
    }
}

/// Counts of pairs, by open addressing.
struct PairCounts {
    private let most: Int
    private var keys: [UInt64]
    private var counts: [UInt32]
    private var used = 0

    init(most: Int) {
        self.most = most
        keys = Array(repeating: 0, count: 1 << 12)
        counts = Array(repeating: 0, count: 1 << 12)
    }

    var isFull: Bool { used > most }

    mutating func add(path: Int32, person: Int32) {
        // Paths count from 1 here, so that 0 is a free place.
        let key = UInt64(UInt32(path + 1)) << 32 | UInt64(UInt32(person))
        let place = place(of: key)
        if keys[place] == 0 {
            keys[place] = key
            used += 1
        }
        counts[place] += 1
        if used * 2 > keys.count { grow() }
    }

    func forEach(_ body: (_ path: Int32, _ person: Int32, _ count: Int64) -> Void) {
        for (key, count) in zip(keys, counts) where key != 0 {
            body(Int32(key >> 32) - 1, Int32(truncatingIfNeeded: key & 0xFFFF_FFFF), Int64(count))
        }
    }

    private func place(of key: UInt64) -> Int {
        var place = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 24) & (keys.count - 1)
        while keys[place] != 0, keys[place] != key { place = (place + 1) & (keys.count - 1) }
        return place
    }

    private mutating func grow() {
        let (oldKeys, oldCounts) = (keys, counts)
        keys = Array(repeating: 0, count: oldKeys.count * 2)
        counts = Array(repeating: 0, count: keys.count)
        for (key, count) in zip(oldKeys, oldCounts) where key != 0 {
            let place = place(of: key)
            (keys[place], counts[place]) = (key, count)
        }
    }
}
