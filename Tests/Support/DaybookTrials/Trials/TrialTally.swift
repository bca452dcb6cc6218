/// The results of a run of reliability trials.
public struct TrialTally: Sendable, Equatable, CustomStringConvertible {
    public var trials = 0
    /// Promised records that are missing.
    public var lost = 0
    /// Records that were never logged, or that came twice.
    public var phantom = 0
    /// Other broken promises: damage reported where none was done, a disk not found again, an order not kept.
    public var bad = 0
    /// The first violations in words, to repeat them, and other remarks.
    public private(set) var violations: [String] = []

    public init() {}

    public var isClean: Bool { lost == 0 && phantom == 0 && bad == 0 }

    public var description: String {
        (["\(trials) trials, \(lost) lost, \(phantom) phantom, \(bad) bad"] + violations).joined(separator: "\n  ")
    }

    public static func += (left: inout TrialTally, right: TrialTally) {
        left.trials += right.trials
        left.lost += right.lost
        left.phantom += right.phantom
        left.bad += right.bad
        for violation in right.violations { left.note(violation) }
    }

    package mutating func note(_ violation: String) {
        if violations.count < 10 { violations.append(violation) }
    }

    /// Counts a broken promise unless it was kept.
    package mutating func expect(_ isKept: Bool, _ what: @autoclosure () -> String) {
        guard !isKept else { return }
        bad += 1
        note(what())
    }

    /// Compares what was found with what was written: everything in `required` is there, and nothing unwritten.
    package mutating func compare<Item: Hashable>(
        _ found: [Item], required: some Sequence<Item>, written: Set<Item>, _ what: @autoclosure () -> String
    ) {
        let set = Set(found)
        let missing = required.filter { !set.contains($0) }
        let strange = found.filter { !written.contains($0) }
        let repeated = found.count - set.count
        lost += missing.count
        phantom += strange.count + repeated
        if !missing.isEmpty || !strange.isEmpty || repeated > 0 {
            note("\(what()): missing \(missing.prefix(5)), strange \(strange.prefix(5)), \(repeated) twice")
        }
    }
}
