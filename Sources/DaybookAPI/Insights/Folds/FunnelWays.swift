import DaybookStore

/// Somebody's fastest way to a step.
struct FunnelWay {
    var person: Int32
    var step: Int16
    /// Where the way began; see ``FunnelDivision``.
    var division: Int64
    var took: Int64
}

/// The period and the value of the event that a way begins with, as one number.
struct FunnelDivision {
    private let periods: Periods?
    private let isByValue: Bool

    /// `nil` for an insight that is not divided.
    init?(_ insight: Insight) {
        if insight.period == nil, insight.parameter == nil { return nil }
        (periods, isByValue) = (Periods(insight), insight.parameter != nil)
    }

    /// Whether somebody can return to a division that they left.
    var canReturn: Bool { isByValue }

    func number(of event: PersonEvent) -> Int64 {
        Int64(periods?.number(of: event.time) ?? 0) << 32 | Int64(event.value)
    }

    static func period(_ number: Int64) -> Int32 { Int32(number >> 32) }
    static func value(_ number: Int64) -> Int { Int(number & 0xFFFF_FFFF) }
}

/// The ways that people have gone, the fastest one of each in each division.
struct FunnelWays {
    private let steps: Int
    private let most: Int
    private let division: FunnelDivision?
    /// For each person and step the fastest way in the latest division; `.max` for none.
    private var took: [Int64] = []
    /// Empty where nothing is divided.
    private var divisions: [Int64] = []
    private var isLeftOut: [Bool] = []
    /// Ways of divisions that were left.
    private var others: [FunnelWay] = []

    init(_ insight: Insight, _ bounds: FoldBounds) {
        (steps, most, division) = (insight.steps.count, bounds.found, FunnelDivision(insight))
    }

    var isFull: Bool { others.count > most }

    mutating func addPerson() {
        isLeftOut.append(false)
        for _ in 0..<steps {
            took.append(.max)
            if division != nil { divisions.append(0) }
        }
    }

    mutating func leaveOut(_ person: Int) { isLeftOut[person] = true }

    /// Lends the ways to `body`, which adds some.
    mutating func adding(_ body: (inout Writer) -> Void) {
        let left = took.withUnsafeMutableBufferPointer { took in
            divisions.withUnsafeMutableBufferPointer { divisions in
                var writer = Writer(steps: steps, took: took, divisions: divisions)
                body(&writer)
                return writer.left
            }
        }
        others += left
    }

    /// Adds ways. Sound: the buffers live as long as ``adding(_:)`` lends it, and nobody keeps it.
    struct Writer {
        fileprivate let steps: Int
        fileprivate let took: UnsafeMutableBufferPointer<Int64>
        fileprivate let divisions: UnsafeMutableBufferPointer<Int64>
        fileprivate var left: [FunnelWay] = []

        mutating func add(person: Int32, step: Int, division: Int64, took time: Int64) {
            let place = Int(person) * steps + step
            if !divisions.isEmpty, division != divisions[place] {
                if took[place] != .max {
                    left.append(
                        FunnelWay(person: person, step: Int16(step), division: divisions[place], took: took[place]))
                }
                (took[place], divisions[place]) = (.max, division)
            }
            if time < took[place] { took[place] = time }
        }
    }

    func forEach(_ body: (FunnelWay) -> Void) {
        var ways = others.filter { !isLeftOut[Int($0.person)] }
        let canReturn = division?.canReturn ?? false
        if !canReturn {
            ways.forEach(body)
            ways = []
        }
        for person in isLeftOut.indices where !isLeftOut[person] {
            for step in 0..<steps where took[person * steps + step] != .max {
                let place = person * steps + step
                let way = FunnelWay(
                    person: Int32(person), step: Int16(step), division: divisions.isEmpty ? 0 : divisions[place],
                    took: took[place])
                if canReturn { ways.append(way) } else { body(way) }
            }
        }
        ways.sort { ($0.person, $0.step, $0.division, $0.took) < ($1.person, $1.step, $1.division, $1.took) }
        var last: FunnelWay?
        for way in ways {
            let isSame = last.map { ($0.person, $0.step, $0.division) == (way.person, way.step, way.division) }
            if isSame != true { body(way) }
            last = way
        }
    }
}
