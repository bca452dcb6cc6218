import Daybook
import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookTools

/// Finds the command by its first words, runs it, and returns the exit status.
struct CommandLineTool {
    let sections: [CommandSection]

    private var commands: [Command] { sections.flatMap(\.commands) }

    /// - Parameter words: without the program's name.
    func run(_ words: [String], console: Console) async -> ExitCode {
        guard let first = words.first else {
            console.errors(UsageText.tool(sections))
            return .badInput
        }
        if first == "--version" { return await run(["version"] + words.dropFirst(), console: console) }
        if ["--help", "-h", "help"].contains(first) {
            let rest = Array(words.dropFirst())
            let group = rest.first.map { word in commands.filter { $0.name.hasPrefix(word + " ") } } ?? []
            if let command = command(named: rest) {
                console.output(UsageText.command(command))
            } else if rest.count == 1, !group.isEmpty {
                console.output(UsageText.group(rest[0], group))
            } else if rest.first?.hasPrefix("-") == false {
                return fail(unknown(rest), console)
            } else {
                console.output(UsageText.tool(sections))
            }
            return .done
        }
        guard let command = command(named: words) else {
            let group = commands.filter { $0.name.hasPrefix(first + " ") }
            if !group.isEmpty, words.contains("--help") || words.contains("-h") {
                console.output(UsageText.group(first, group))
                return .done
            }
            return fail(unknown(words), console)
        }
        do {
            let rest = words.dropFirst(command.name.split(separator: " ").count)
            let arguments = try ArgumentParser(command: command).parse(Array(rest))
            if arguments.asksForHelp {
                console.output(UsageText.command(command))
                return .done
            }
            return try await command.run(arguments, console)
        } catch let error as UsageError {
            return fail(error, console, usage: UsageText.synopsis(command))
        } catch let error as ChecklistError {
            console.errors("\(error)\n")
            return .badInput
        } catch {
            return fail(error, console)
        }
    }

    /// The command with the longest matching name.
    private func command(named words: [String]) -> Command? {
        commands.filter { words.starts(with: $0.name.split(separator: " ").map(String.init)) }
            .max { $0.name.count < $1.name.count }
    }

    private func unknown(_ words: [String]) -> UsageError {
        let first = words[0]
        let names = commands.map(\.name)
        // Any word of a command's name may be misspelt.
        let counts = Set(names.map { $0.split(separator: " ").count }).filter { $0 <= words.count }.sorted(by: >)
        let near = counts.lazy
            .compactMap { NearestName.of(words.prefix($0).joined(separator: " "), among: names) }
            .first
        let suggestion = near.map { "did you mean `\($0)`?" }
        let group = names.filter { $0.hasPrefix(first + " ") }
        guard group.isEmpty else {
            let all = group.joined(separator: ", ")
            guard let next = words.dropFirst().first else {
                return UsageError(message: "`\(first)` needs a command after it", hint: all)
            }
            return UsageError(message: "`\(first)` has no command `\(next)`", hint: suggestion ?? all)
        }
        return UsageError(message: "unknown command `\(first)`", hint: suggestion ?? "`daybook --help` lists them")
    }

    private func fail(_ error: any Error, _ console: Console, usage: String? = nil) -> ExitCode {
        let text = error is any SeveralProblems ? "\(error)".printableLines : "\(error)".printable
        console.errors("error: \(text)\n" + (usage.map { "\($0)\n" } ?? ""))
        return .badInput
    }
}

/// An error with one line per problem; other errors are a single line.
protocol SeveralProblems: Error {}

extension ProjectFolder.InvalidError: SeveralProblems {}
extension AlertFolder.Problems: SeveralProblems {}

extension Command {
    static let all = CommandSection.all.flatMap(\.commands)
}

struct CommandSection: Sendable {
    var title: String
    var commands: [Command]

    /// Ordered by workflow, from defining events to the collector's keys.
    static let all: [CommandSection] = [
        CommandSection(
            title: "Define events",
            commands: [
                .definitionsCheck, .definitionsDiff, .definitionsValidate, .definitionsMigrate, .definitionsDump,
                .definitionsGenerateSwift, .definitionsGenerateSwiftDictionary, .definitionsGenerateKotlin,
                .definitionsGenerateSQL, .definitionsGenerateStrdef, .definitionsGenerateJSON, .coverage,
            ]),
        CommandSection(title: "Check what an app logs", commands: [.verify, .compare, .fixturesImport]),
        CommandSection(
            title: "Look at records",
            commands: [
                .inspect, .query, .tail, .breakdown, .funnel, .retention, .path, .count, .measure, .differ,
                .boardsCheck,
                .boardsPrint, .assistant,
            ]),
        CommandSection(
            title: "Run a collector",
            commands: [
                .serve, .keysAdd, .keysList, .keysRevoke, .alertsCheck, .alertsRun, .alertsTest, .alertsMute,
            ]),
        CommandSection(
            title: "Move and erase records", commands: [.export, .importRecords, .backup, .erase, .storeCheck]),
        CommandSection(title: "Look into an app's journal", commands: [.journalCheck, .journalDump]),
        CommandSection(title: "This command", commands: [.completion, .version]),
    ]
}

extension Command {
    static let version = Command(name: "version", summary: "Print the version") { _, console in
        console.output("daybook \(Release.version)\n")
        return .done
    }
}
