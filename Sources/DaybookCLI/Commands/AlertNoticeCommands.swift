import Daybook
import DaybookAPI
import DaybookBase
import DaybookCollector
import DaybookStore
import DaybookTools
import Foundation

extension Command {
    static let alertsTest = Command(
        name: "alerts test", summary: "Send a test message to the targets of an alert",
        options: [.secret],
        operands: ("DIR NAME", 2...2),
        details:
            "The variables of `notify` that --secret declares are read from this command's environment. Exit status 1 if a "
            + "target does not accept the message."
    ) { arguments, console in
        let (folder, name) = (arguments.operands[0], arguments.operands[1])
        let rules = try AlertFolder.load(folder)
        guard let rule = rules.first(where: { $0.name == name }) else {
            let near = NearestName.of(name, among: rules.map(\.name)).map { "did you mean `\($0)`?" }
            throw UsageError(message: "\(folder) has no alert `\(name)`", hint: near)
        }
        guard !rule.targets.isEmpty else {
            throw UsageError(message: "the alert `\(name)` notifies nobody", hint: "- notify ${WEBHOOK_URL}")
        }
        let outcomes = await AlertTest.send(
            rule, secrets: try AlertSecrets(arguments), version: Release.version, at: PipelineClock.system.wall())
        for outcome in outcomes {
            let answer = outcome.failure.map { "not accepted: \($0)" } ?? "accepted"
            console.output("\(outcome.target): \(answer)".printable + "\n")
        }
        return outcomes.contains { $0.failure != nil } ? .no : .done
    }

    static let alertsMute = Command(
        name: "alerts mute", summary: "Mute an alert for some time",
        options: [
            .value("for", "TIME", "how long, such as 2h, at most 30d; 0s ends it", required: true),
            .value("by", "NAME", "who mutes it, as others see it; default: the user of this machine"),
        ] + CollectorAddress.requiredOptions,
        operands: ("NAME", 1...1),
        details: "If the alert still fires after that time, it notifies its targets then. Targets that were notified "
            + "before are still notified of the end."
    ) { arguments, console in
        let name = arguments.operands[0]
        let time = try arguments.required("for")
        guard let seconds = DurationText.seconds(time[...], units: [.second, .minute, .hour, .day]),
            (0...30 * 86_400).contains(seconds)
        else { throw UsageError(message: "--for takes a time from 0s to 30d, such as 2h, not `\(time)`") }
        let collector = try CollectorAddress.required(arguments, for: "manage")
        let by = arguments["by"] ?? ProcessInfo.processInfo.environment["USER"] ?? "somebody"
        let body = JSONWriter.text(["alert": .string(name), "for": .string(time), "by": .string(by)] as Attributes)
        _ = try await CollectorClient(address: collector).data(Endpoints.alertMute, APICall(body: Array(body.utf8)))
        console.output(
            (seconds == 0 ? "\(name) is no longer muted." : "\(name) is muted for \(time), by \(by).").printable + "\n")
        return .done
    }
}
