import Daybook
import DaybookBase
import DaybookCollector
import Foundation

extension Command {
    static let alertsTest = Command(
        name: "alerts test", summary: "Send a test message to whom an alert tells",
        options: [],
        operands: ("DIR NAME", 2...2),
        details:
            "The addresses come from this command's environment, as `notify` names them. Exit status 1 if a target "
            + "does not take the message."
    ) { arguments, console in
        let (folder, name) = (arguments.operands[0], arguments.operands[1])
        let rules = try AlertFolder.load(folder, environment: nil)
        guard let rule = rules.first(where: { $0.name == name }) else {
            let near = NearestName.of(name, among: rules.map(\.name)).map { "did you mean `\($0)`?" }
            throw UsageError(message: "\(folder) has no alert `\(name)`", hint: near)
        }
        guard !rule.targets.isEmpty else {
            throw UsageError(message: "the alert `\(name)` tells nobody", hint: "- notify ${WEBHOOK_URL}")
        }
        let outcomes = await AlertTest.send(
            rule, environment: ProcessInfo.processInfo.environment, version: Release.version,
            at: PipelineClock.system.wall())
        for outcome in outcomes {
            console.output("\(outcome.target): \(outcome.failure.map { "not taken: \($0)" } ?? "taken")\n")
        }
        return outcomes.contains { $0.failure != nil } ? .no : .done
    }

    static let alertsMute = Command(
        name: "alerts mute", summary: "Tell nobody for some time that an alert fires",
        options: [
            .value("for", "TIME", "how long, such as 2h, at most 30d; 0s ends it", required: true),
            .value("by", "NAME", "who wants it, for the others; the user of this machine where it is not said"),
        ] + CollectorAddress.requiredOptions,
        operands: ("NAME", 1...1),
        details: "What still fires when the time is over is told then. Who was told before is told the end."
    ) { arguments, console in
        let name = arguments.operands[0]
        let time = try arguments.required("for")
        let collector = try CollectorAddress.required(arguments)
        let by = arguments["by"] ?? ProcessInfo.processInfo.environment["USER"] ?? "somebody"
        let body = JSONWriter.text(["alert": .string(name), "for": .string(time), "by": .string(by)] as Attributes)
        _ = try await CollectorClient(address: collector).data(
            "/api/v1/alerts/mute", .init(method: "POST", body: Array(body.utf8)))
        console.output(
            time.hasPrefix("0") ? "\(name) is not muted any more.\n" : "\(name) is muted for \(time), by \(by).\n")
        return .done
    }
}
