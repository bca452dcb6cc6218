import DaybookBase
import DaybookStore

/// How far people come, and how fast.
struct FunnelFold: OrderedFold {
    static var readsAll: Bool { false }

    /// Somebody's fastest way to a step, in a period.
    struct Way {
        var person: Int32
        var step: Int16
        var period: Int32
        var took: Int64
    }

    private static let none = Int64.min

    static func size(of insight: Insight) -> Int { insight.steps.count * 20 }

    private let mostWays: Int
    private let steps: Int
    private let within: Int64
    private let periods: Periods?
    /// For each person and step the latest beginning of a way to it, the fastest way, and the period that this began in.
    private var begun: [Int64] = []
    private var took: [Int64] = []
    private var period: [Int32] = []
    private var isLeftOut: [Bool] = []
    /// Ways of periods that are over.
    private var ways: [Way] = []

    init(_ insight: Insight, _ bounds: FoldBounds) {
        mostWays = bounds.found
        steps = insight.steps.count
        within = insight.within ?? .max
        periods = Periods(insight)
    }

    var isFull: Bool { ways.count > mostWays }

    mutating func addPerson() {
        isLeftOut.append(false)
        for _ in 0..<steps {
            begun.append(Self.none)
            took.append(.max)
            if periods != nil { period.append(0) }
        }
    }

    mutating func leaveOut(_ person: Int) { isLeftOut[person] = true }

    mutating func add(_ events: [PersonEvent]) {
        var over: [Way] = []
        begun.withUnsafeMutableBufferPointer { begun in
            took.withUnsafeMutableBufferPointer { took in
                period.withUnsafeMutableBufferPointer { period in
                    for event in events {
                        let first = Int(event.person) * steps
                        // From the last step to the first, so that an event is one step of a way. Of a step, beginnings only get
                        // later.
                        for step in stride(from: steps - 1, through: 0, by: -1)
                        where event.flags & 1 << UInt16(step) != 0 {
                            let place = first + step
                            let begin = step == 0 ? event.time : begun[place - 1]
                            guard begin != Self.none, event.time - begin <= within else { continue }
                            if let periods {
                                let number = periods.number(of: begin)
                                if begun[place] != Self.none, number != period[place] {
                                    over.append(
                                        Way(
                                            person: event.person, step: Int16(step), period: period[place],
                                            took: took[place]))
                                    took[place] = .max
                                }
                                period[place] = number
                            }
                            begun[place] = begin
                            took[place] = min(took[place], event.time - begin)
                        }
                    }
                }
            }
        }
        ways += over
    }

    /// Passes each person's fastest way to each step that they reached, in each period.
    func forEach(_ body: (Way) -> Void) {
        for way in ways where !isLeftOut[Int(way.person)] { body(way) }
        for person in isLeftOut.indices where !isLeftOut[person] {
            for step in 0..<steps where begun[person * steps + step] != Self.none {
                let place = person * steps + step
                body(
                    Way(
                        person: Int32(person), step: Int16(step), period: periods == nil ? 0 : period[place],
                        took: took[place]))
            }
        }
    }
}

/// Days or weeks in a zone, numbered.
struct Periods {
    private let zone: Int64
    private let isWeek: Bool

    /// `nil` for an insight that is not divided by time.
    init?(_ insight: Insight) {
        guard let period = insight.period else { return nil }
        zone = Int64(insight.zone) * 1_000_000_000
        isWeek = period == .week
    }

    /// As the statement computes it.
    func number(of time: Int64) -> Int32 {
        let day = (time + zone) / Insight.nanosecondsOfDay
        // 1970 began on a Thursday.
        return Int32(truncatingIfNeeded: isWeek ? (day + 3) / 7 : day)
    }

    /// The date of a day, or of a week's first day: `2026-11-23`.
    func date(_ number: Int32) -> String {
        let day = isWeek ? Int64(number) * 7 - 3 : Int64(number)
        return String(Timestamp(nanoseconds: day * Insight.nanosecondsOfDay).rfc3339(fractionDigits: 0).prefix(10))
    }
}
