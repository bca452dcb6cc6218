import DaybookChecklist

/// A checklist with the run that is judged against it.
///
/// The engine refuses a checklist in which it cannot judge an item; here such items are set aside, each with the
/// engine's reason, and the others are judged.
struct JudgedChecklist: Sendable {
    private struct Place: Hashable {
        var scenario: Int
        var item: Int
    }

    /// Unique among the inspector's checklists; part of the page's address.
    let id: String
    let checklist: Checklist
    /// The run is made of the records that arrived after this number.
    private(set) var startsAfter: Int64 = 0
    private let refusals: [Place: String]
    /// A run that has seen nothing; `nil` where the engine refuses even what is left.
    private let freshRun: ChecklistRun?
    private var run: ChecklistRun?

    init(id: String, checklist: Checklist) {
        self.id = id
        self.checklist = checklist
        do throws(ChecklistError) {
            freshRun = try ChecklistRun(checklist)
            refusals = [:]
        } catch {
            let refused = Self.refusals(error.problems, of: checklist)
            let rest = Self.rest(of: checklist, without: refused)
            freshRun = try? ChecklistRun(rest)
            refusals = freshRun == nil ? Self.all(of: checklist, for: error.problems) : refused
        }
        run = freshRun
    }

    /// Takes a record; one that arrived before the run's start is none of it.
    mutating func observe(_ record: StoredChecklistRecord) {
        if record.number > startsAfter { run?.observe(record) }
    }

    /// Begins a new run behind the arrival number `head`.
    mutating func restart(after head: Int64) {
        startsAfter = head
        run = freshRun
    }

    /// How the items stand, scenario after scenario as in the checklist.
    func standings() -> [[ItemStanding]] {
        let verdicts = run?.verdicts(finished: false).map(\.items) ?? checklist.scenarios.map { _ in [] }
        return checklist.scenarios.indices.map { scenario in
            var judged = verdicts[scenario].makeIterator()
            return checklist.scenarios[scenario].items.enumerated().map { index, item in
                if let reason = refusals[Place(scenario: scenario, item: index)] {
                    return ItemStanding(item: item, state: .notJudged, reason: reason)
                }
                return judged.next().map(ItemStanding.init) ?? ItemStanding(item: item, state: .manual)
            }
        }
    }

    /// The items that problems speak of, by their lines.
    private static func refusals(_ problems: [ChecklistError.Problem], of checklist: Checklist) -> [Place: String] {
        var refusals: [Place: String] = [:]
        for problem in problems {
            guard
                let scenario = checklist.scenarios.lastIndex(where: { $0.location.line <= problem.location.line }),
                let item = checklist.scenarios[scenario].items.lastIndex(where: {
                    $0.location.line <= problem.location.line
                })
            else { continue }
            let place = Place(scenario: scenario, item: item)
            refusals[place] = (refusals[place].map { $0 + "; " } ?? "") + problem.reason
        }
        return refusals
    }

    /// All items that are not a person's.
    private static func all(of checklist: Checklist, for problems: [ChecklistError.Problem]) -> [Place: String] {
        var refusals: [Place: String] = [:]
        let reason = problems.map(\.reason).joined(separator: "; ")
        for (scenario, items) in checklist.scenarios.map(\.items).enumerated() {
            for (index, item) in items.enumerated() where item.content != .manual {
                refusals[Place(scenario: scenario, item: index)] = reason
            }
        }
        return refusals
    }

    private static func rest(of checklist: Checklist, without refused: [Place: String]) -> Checklist {
        var rest = checklist
        for scenario in rest.scenarios.indices {
            rest.scenarios[scenario].items = rest.scenarios[scenario].items.enumerated()
                .filter { refused[Place(scenario: scenario, item: $0.offset)] == nil }
                .map(\.element)
        }
        return rest
    }
}

extension ChecklistError.Problem {
    /// Without the place, for a reader who sees the item.
    fileprivate var reason: String { message + (hint.map { " (\($0))" } ?? "") }
}
