import DaybookBase
import DaybookStore

/// Who comes how far, and how fast.
protocol FunnelFold: OrderedFold {
    var ways: FunnelWays { get set }
}

extension FunnelFold {
    static var readsAll: Bool { false }

    var isFull: Bool { ways.isFull }

    mutating func leaveOut(_ person: Int) { ways.leaveOut(person) }

    /// Passes each person's fastest way to each step that they reached, in each division.
    func forEach(_ body: (FunnelWay) -> Void) { ways.forEach(body) }
}

private struct FunnelRules {
    let steps: Int
    let within: Int64
    /// The flag of an event that ends all ways.
    let excluded: UInt16
    let division: FunnelDivision?

    init(_ insight: Insight) {
        steps = insight.steps.count
        within = insight.within ?? .max
        excluded = insight.excluded == nil ? 0 : 1 << UInt16(steps)
        division = FunnelDivision(insight)
    }
}

/// A funnel whose steps follow each other.
struct OrderedFunnelFold: FunnelFold {
    private static let none = Int64.min

    static func size(of insight: Insight) -> Int { insight.steps.count * 32 }

    private let rules: FunnelRules
    /// For each person and step the latest beginning of a way to it, and its division.
    private var begun: [Int64] = []
    private var divisions: [Int64] = []
    var ways: FunnelWays

    init(_ insight: Insight, _ bounds: FoldBounds) {
        (rules, ways) = (FunnelRules(insight), FunnelWays(insight, bounds))
    }

    mutating func addPerson() {
        for _ in 0..<rules.steps {
            begun.append(Self.none)
            if rules.division != nil { divisions.append(0) }
        }
        ways.addPerson()
    }

    mutating func add(_ events: [PersonEvent]) {
        let (steps, within, excluded, division) = (rules.steps, rules.within, rules.excluded, rules.division)
        begun.withUnsafeMutableBufferPointer { begun in
            divisions.withUnsafeMutableBufferPointer { divisions in
                ways.adding { ways in
                    for event in events {
                        let first = Int(event.person) * steps
                        if event.flags & excluded != 0 {
                            for place in first..<first + steps { begun[place] = Self.none }
                        }
                        // From the last step to the first, so that an event is one step of a way. Of a step, beginnings
                        // only get later.
                        for step in stride(from: steps - 1, through: 0, by: -1)
                        where event.flags & 1 << UInt16(step) != 0 {
                            let place = first + step
                            let begin = step == 0 ? event.time : begun[place - 1]
                            guard begin != Self.none, event.time - begin <= within else { continue }
                            begun[place] = begin
                            if let division {
                                divisions[place] = step == 0 ? division.number(of: event) : divisions[place - 1]
                            }
                            ways.add(
                                person: event.person, step: step, division: division == nil ? 0 : divisions[place],
                                took: event.time - begin)
                        }
                    }
                }
            }
        }
    }
}

/// A funnel whose steps may come in any order: the shortest time that has so many of them.
struct AnyOrderFold: FunnelFold {
    static func size(of insight: Insight) -> Int { insight.steps.count * 33 }

    /// The latest event of a step.
    private struct Latest {
        var time: Int64
        var division: Int64
    }

    private let rules: FunnelRules
    /// By person and step.
    private var latest: [Latest] = []
    /// For each person the steps that they have, the latest one first; `none` behind them.
    private var order: [UInt8] = []
    var ways: FunnelWays

    private static let none: UInt8 = 255

    init(_ insight: Insight, _ bounds: FoldBounds) {
        (rules, ways) = (FunnelRules(insight), FunnelWays(insight, bounds))
    }

    mutating func addPerson() {
        for _ in 0..<rules.steps {
            latest.append(Latest(time: 0, division: 0))
            order.append(Self.none)
        }
        ways.addPerson()
    }

    mutating func add(_ events: [PersonEvent]) {
        let (steps, within, excluded, division) = (rules.steps, rules.within, rules.excluded, rules.division)
        latest.withUnsafeMutableBufferPointer { latest in
            order.withUnsafeMutableBufferPointer { order in
                ways.adding { ways in
                    for event in events {
                        let first = Int(event.person) * steps
                        if event.flags & excluded != 0 {
                            for place in first..<first + steps { order[place] = Self.none }
                        }
                        // An event is the first step that it matches.
                        let step = (event.flags & ~excluded).trailingZeroBitCount
                        guard step < steps else { continue }
                        latest[first + step] = Latest(
                            time: event.time, division: division?.number(of: event) ?? 0)
                        Self.moveToFront(UInt8(step), &order, first..<first + steps)
                        for place in 0..<steps where order[first + place] != Self.none {
                            let begin = latest[first + Int(order[first + place])]
                            guard event.time - begin.time <= within else { break }
                            ways.add(
                                person: event.person, step: place, division: begin.division,
                                took: event.time - begin.time)
                        }
                    }
                }
            }
        }
    }

    /// - Parameter places: A person's steps are as many, so the step or a free place is among them.
    private static func moveToFront(
        _ step: UInt8, _ order: inout UnsafeMutableBufferPointer<UInt8>, _ places: Range<Int>
    ) {
        var moved = step
        for place in places {
            swap(&order[place], &moved)
            if moved == step || moved == none { return }
        }
    }
}
