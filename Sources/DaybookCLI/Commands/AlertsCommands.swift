import DaybookBase
import DaybookChecklist
import DaybookCollector
import DaybookDefinitions
import DaybookInspector
import DaybookStore
import Foundation

extension Command {
    static let alertsCheck = Command(
        name: "alerts check", summary: "Check the alerts of a folder",
        options: [
            .flag("environment", "also check that the variables of `notify` are declared by --secret, and set"),
            .secret,
            .value("definitions", "DIR", "also check watched events and columns against these definitions"),
            .value("store", "STORE", "also run each statement on this store: one that fails is an error"),
        ] + CollectorAddress.options,
        operands: ("DIR", 1...1),
        details:
            "Exit status 1 if there is an error. Without --store or --collector only the first word of a statement is checked."
    ) { arguments, console in
        let secrets = arguments.has("environment") ? try AlertSecrets(arguments) : nil
        if secrets == nil, arguments["secret"] != nil { throw UsageError(message: "--secret belongs to --environment") }
        var (rules, problems) = try AlertFolder.read(arguments.operands[0], secrets: secrets)
        if let path = arguments["definitions"] {
            let catalog = EventCatalog(try DefinitionsSource(path).soundDefinitions())
            problems += rules.flatMap { $0.problems(with: catalog) }
        }
        if arguments["store"] != nil || arguments["collector"] != nil {
            let statements = try await RecordSource.maskedStatements(arguments)
            for rule in rules {
                if let problem = await AlertTrial.problem(of: rule, by: statements) { problems.append(problem) }
            }
        }
        MarkdownFolder.leftOut(in: arguments.operands[0]).forEach(console.errors)
        if problems.isEmpty { try AlertFolder.check(rules, in: arguments.operands[0]) }
        let judge = try await StatementJudge(arguments, of: arguments["store"])
        for warning in rules.flatMap({ $0.warnings(judge.tables, masking: judge.masking) }) {
            console.errors("\(warning)\n")
        }
        for problem in problems { console.errors("\(problem)\n") }
        guard problems.isEmpty else { return .no }
        for rule in rules {
            let quiet = rule.quiet.map { ", quiet \($0.text)" }.joined()
            console.output("\(rule.file):\(rule.line): \(rule.name): \(rule.conditionText)\(quiet)".printable + "\n")
        }
        return .done
    }

    static let alertsRun = Command(
        name: "alerts run", summary: "Evaluate the alerts of a folder once, and notify nobody",
        options: RecordSource.options + [
            .flag("json", "print a JSON array")
        ] + Masking.options,
        operands: ("DIR", 1...1),
        details: "`for` is ignored: a condition that holds now counts. Exit status 1 if one holds or fails."
    ) { arguments, console in
        MarkdownFolder.leftOut(in: arguments.operands[0]).forEach(console.errors)
        let rules = try AlertFolder.load(arguments.operands[0])
        try AlertFolder.check(rules, in: arguments.operands[0])
        let judge = try await StatementJudge(arguments, of: RecordSource.store(arguments))
        for warning in rules.flatMap({ $0.warnings(judge.tables, masking: judge.masking) }) {
            console.errors("\(warning)\n")
        }
        let masking = try await RecordSource.masking(arguments)
        let store = try RecordSource.records(arguments, access: .readOnly)
        let statements = try await RecordSource.maskedStatements(arguments)
        var isQuiet = true
        var outcomes: [Value] = []
        for rule in rules {
            let trials = await AlertTrial.run(
                rule, in: store, statements: statements, masking: masking, at: PipelineClock.system.wall())
            for trial in trials {
                isQuiet = isQuiet && !trial.isTrouble
                outcomes.append(.object(trial.members))
                if !arguments.has("json") { console.output(trial.line + "\n") }
            }
        }
        if arguments.has("json") { console.output(JSONWriter.text(.array(outcomes)).printableJSON + "\n") }
        return isQuiet ? .done : .no
    }
}
