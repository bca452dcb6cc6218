import DaybookChecklist

/// Judges a recording by a long checklist: record by record as an inspector does, and as a file as CI does.
struct ChecklistRows {
    private struct Event: ChecklistRecord {
        let tag: String
        let number: Int64
        let time: Int64
        let columns: [String: ChecklistValue]

        func value(of column: String) -> ChecklistValue? { columns[column] }
        func commonValue(of column: String) -> ChecklistValue? { nil }
    }

    private static let records = 10_000
    private static let items = 200

    /// Every kind of item, a quarter of them about several events at once.
    private static var checklist: String {
        (0..<items).map { index in
            let event = "category_\(index % 20).event_\(index)"
            let clause =
                switch index % 8 {
                case 0: "\(event) at least 1"
                case 1: "\(event) at most 1000 per id"
                case 2: "category_\(index % 20).* at least 1"
                case 3: "\(event) after app.launch within 1h"
                case 4: "never \(event).crash"
                case 5: "\(event) at least 1 until app.launch"
                case 6: "category_\(index % 20).** at least 1 per tab"
                default: "\(event)\n    - position >= 0"
                }
            return "- [ ] " + clause
        }.joined(separator: "\n")
    }

    private static func event(_ index: Int) -> Event {
        let columns: [String: ChecklistValue] = [
            "id": .integer(Int64(index % 100)), "tab": .text(index % 2 == 0 ? "home" : "new"),
            "position": .integer(Int64(index % 7)),
        ]
        let tag = index == 0 ? "app.launch" : "category_\(index % 20).event_\(index % items)"
        return Event(tag: tag, number: Int64(index), time: Int64(index) * 1_000_000, columns: columns)
    }

    func run() throws {
        let events = (0..<Self.records).map(Self.event)
        let fresh = try ChecklistRun(Checklist(markdown: Self.checklist, file: "bench.md"))
        var times: [Double] = []
        for _ in 0..<5 {
            let start = ContinuousClock.now
            var run = fresh
            for event in events { run.observe(event) }
            let verdicts = run.verdicts(finished: true)
            times.append((ContinuousClock.now - start).milliseconds)
            precondition(verdicts.reduce(0) { $0 + $1.items.count } == Self.items)
        }
        printFigure(
            "\(Self.records) records judged by \(Self.items) checklist items", "\(times.median.text(0)) ms",
            target: "≤ 100 ms", isMet: times.median <= 100)
    }
}
