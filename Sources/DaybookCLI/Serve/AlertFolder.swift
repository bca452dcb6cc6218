import DaybookCollector
import DaybookStore
import Foundation

/// The alerts of a folder.
enum AlertFolder {
    /// Every `.md` of a folder, by name, with every problem.
    /// - Parameter environment: for `${NAME}`; `nil` leaves the names alone, for a machine that does not have them.
    /// - Throws: ``InputError`` where a file cannot be read.
    static func read(
        _ folder: String, environment: [String: String]?
    ) throws(InputError) -> (rules: [AlertRule], problems: [AlertProblem]) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw InputError(file: folder, message: "cannot be read: \(error.fileReason)")
        }
        var rules: [AlertRule] = []
        var problems: [AlertProblem] = []
        for name in names.filter({ $0.hasSuffix(".md") }).sorted() {
            let path = folder + "/" + name
            let result = AlertParser.parse(try TextFile.read(path), file: path)
            problems += result.problems
            for rule in result.rules {
                if let first = rules.first(where: { $0.name == rule.name }) {
                    problems.append(
                        problem(of: rule, "the name `\(rule.name)` is taken by \(first.file):\(first.line)"))
                }
                for target in rule.targets {
                    guard let environment,
                        case .failure(let failure) = AlertTarget.resolve(target, environment: environment)
                    else { continue }
                    problems.append(problem(of: rule, "\(failure)"))
                }
                rules.append(rule)
            }
        }
        return (rules, problems)
    }

    private static func problem(of rule: AlertRule, _ message: String) -> AlertProblem {
        AlertProblem(file: rule.file, line: rule.line, column: 1, message: message)
    }

    /// The alerts of a folder that a collector can run.
    /// - Parameter environment: for `${NAME}`; `nil` where nobody is told.
    /// - Throws: ``InputError`` with every problem.
    static func load(_ folder: String, environment: [String: String]?) throws(InputError) -> [AlertRule] {
        let (rules, problems) = try read(folder, environment: environment)
        guard problems.isEmpty else {
            throw InputError(file: folder, message: problems.map(\.description).joined(separator: "\n"))
        }
        return rules
    }
}
