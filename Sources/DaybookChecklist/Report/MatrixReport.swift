import DaybookTools

/// Which scenarios passed in which build: the runs of several recordings side by side.
public struct ScenarioMatrix: Sendable, Hashable {
    /// The result of a scenario in a build.
    public enum Cell: Sendable, Hashable {
        case passed
        /// How many items failed, over all runs; 0 if the scenario failed as a whole.
        case failed(items: Int)
        case notRun
        /// No item was judged in any run.
        case nothingJudged
    }

    /// In the order in which they were first seen.
    public private(set) var scenarios: [String] = []
    public private(set) var builds: [String] = []
    private var cells: [String: [String: Cell]] = [:]

    /// Groups verdicts by scenario and build; if a build has several runs of a scenario, all must pass.
    public init(_ verdicts: [ScenarioVerdict]) {
        for verdict in verdicts {
            let scenario = verdict.scenario.name
            if !scenarios.contains(scenario) { scenarios.append(scenario) }
            // A scenario that was never run belongs to no build.
            guard let build = verdict.run.build else { continue }
            if !builds.contains(build) { builds.append(build) }
            switch cells[scenario]?[build] {
            case .failed(let items)?:
                cells[scenario, default: [:]][build] = .failed(items: items + verdict.failures)
            case .passed? where verdict.cell == .nothingJudged: break
            default: cells[scenario, default: [:]][build] = verdict.cell
            }
        }
    }

    /// The result of a scenario in a build.
    public subscript(scenario: String, build: String) -> Cell { cells[scenario]?[build] ?? .notRun }

    /// A table in Markdown, which is also readable as plain text.
    public func markdown() -> String {
        let header = ["scenario"] + builds.map(Markdown.cell)
        let rows = scenarios.map { scenario in [Markdown.cell(scenario)] + builds.map { self[scenario, $0].text } }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { cell, width in
                " " + cell + String(repeating: " ", count: width - cell.count) + " "
            }
            return "|" + padded.joined(separator: "|") + "|\n"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|\n"
        return line(header) + rule + rows.map(line).joined()
    }
}

extension ScenarioVerdict {
    fileprivate var cell: ScenarioMatrix.Cell {
        if passed { return .passed }
        if result == .nothingJudged, failures == 0, problem?.isNothingJudged ?? true { return .nothingJudged }
        return .failed(items: failures)
    }

    /// As in the total: what was not judged has not failed.
    fileprivate var failures: Int { items.count { $0.status.isOpen && $0.status != .notJudged } }
}

extension ScenarioMatrix.Cell {
    fileprivate var text: String {
        switch self {
        case .passed: "✓ passed"
        case .failed(items: 0): "✗ failed"
        case .failed(let items): "✗ \(items) failed"
        case .notRun: "– not run"
        case .nothingJudged: "? nothing judged"
        }
    }
}
