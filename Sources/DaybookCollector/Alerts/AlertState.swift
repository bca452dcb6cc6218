import DaybookBase
import DaybookTools
import Foundation

/// What alerts remember across restarts: standings and undelivered notices, in one JSON file. Without target secrets
/// (targets are unresolved) and private values, but with the key of their stand-ins.
struct AlertState: Sendable, Equatable {
    /// Makes labels; stable for everyone who has this state.
    private(set) var labels = AlertLabels(pseudonyms: Pseudonyms())
    /// By alert name.
    var machines: [String: AlertMachine] = [:]
    var outbox = AlertOutbox()
    /// Log lines about changes, not logged yet.
    var lines: [AlertLine] = []
    /// By alert name.
    var histories: [String: AlertHistory] = [:]
    /// By alert name.
    var mutes: [String: AlertMute] = [:]
    /// Message outcomes, by alert name and unresolved target.
    var deliveries: [String: [String: AlertDelivery]] = [:]

    mutating func note(_ alert: String, _ event: AlertHistory.Event) {
        histories[alert, default: AlertHistory()].note(event)
    }

    /// Drops alerts that are in no file any more, once all their notices are delivered.
    mutating func keep(only alerts: Set<String>) {
        let waiting = outbox.alerts
        let isKept = { (name: String) in alerts.contains(name) || waiting.contains(name) }
        histories = histories.filter { isKept($0.key) }
        deliveries = deliveries.filter { isKept($0.key) }
        mutes = mutes.filter { isKept($0.key) }
    }
}

extension AlertState {
    var text: String {
        let alerts = machines.sorted { $0.key < $1.key }.map { name, machine in
            let standings = machine.standings.sorted { $0.key < $1.key }.map { label, standing in
                Value.object([
                    "label": .string(label), "phase": .string(standing.phase.rawValue), "since": .int(standing.since),
                    "value": standing.value.map { .double($0) } ?? .null,
                    "reason": Value(standing.reason),
                    "targets": standing.targets.map { .array($0.map { .string($0) }) } ?? .null,
                    "held": .bool(standing.isHeld),
                ])
            }
            let seen = machine.seen.sorted { $0.key < $1.key }.map { label, time in
                Value.object(["label": .string(label), "time": .int(time)])
            }
            return Value.object([
                "name": .string(name), "evaluated": machine.evaluated.map { .int($0) } ?? .null,
                "standings": .array(standings), "seen": .array(seen), "hidden": .bool(machine.comparesHidden),
            ])
        }
        let notices = outbox.all.map { notice, target, attempts in
            Value.object([
                "alert": .string(notice.alert), "status": .string(notice.status.rawValue),
                "label": .string(notice.label), "since": .int(notice.since),
                "value": notice.value.map { .double($0) } ?? .null, "time": .int(notice.time),
                "reason": Value(notice.reason),
                "target": .string(target), "attempts": .int(Int64(attempts)),
            ])
        }
        let object: Attributes = [
            "version": 2, "key": .string(labels.pseudonyms.keyText), "alerts": .array(alerts),
            "notices": .array(notices), "lines": .array(lines.map(\.value)),
            "merged": .array(
                outbox.merged.sorted { $0.key < $1.key }.map { target, count in
                    .object(["target": .string(target), "count": .int(Int64(count))])
                }),
            "histories": .array(
                histories.sorted { $0.key < $1.key }.map { name, history in
                    .object(["name": .string(name), "events": history.value])
                }),
            "mutes": .array(
                mutes.sorted { $0.key < $1.key }.map { name, mute in
                    .object([
                        "name": .string(name), "since": .int(mute.since), "until": .int(mute.until),
                        "by": .string(mute.by),
                    ])
                }),
            "deliveries": .array(
                deliveries.sorted { $0.key < $1.key }.flatMap { name, targets in
                    targets.sorted { $0.key < $1.key }.map { target, delivery in
                        Value.object([
                            "name": .string(name), "target": .string(target), "tried": .int(delivery.tried),
                            "failure": Value(delivery.failure),
                            "failures": .int(Int64(delivery.failures)),
                        ])
                    }
                }),
        ]
        return JSONWriter.text(object) + "\n"
    }

    init(text: String) throws(Unreadable) {
        guard let object = Attributes(json: text), let version = object.integer("version"), (1...2).contains(version)
        else { throw Unreadable() }
        // Version 1 stored labels with private values, and target responses.
        let isFirst = version == 1
        let written = { (label: String?) in isFirst ? label.map(AlertLabels.withoutValues) : label }
        if !isFirst {
            guard let pseudonyms = object.text("key").flatMap(Pseudonyms.init(keyText:)) else { throw Unreadable() }
            labels = AlertLabels(pseudonyms: pseudonyms)
        }
        for alert in object.objects("alerts") {
            guard let name = alert.text("name") else { throw Unreadable() }
            var machine = AlertMachine()
            machine.evaluated = alert.integer("evaluated")
            machine.comparesHidden = alert["hidden"] == true
            for entry in alert.objects("standings") {
                guard let label = written(entry.text("label")), let since = entry.integer("since"),
                    let phase = entry.text("phase").flatMap(AlertMachine.Standing.Phase.init)
                else { throw Unreadable() }
                machine.standings[label] = .init(
                    phase: phase, since: since, value: entry.number("value"), reason: entry.text("reason"),
                    targets: entry.texts("targets"), isHeld: entry["held"] == true)
            }
            for entry in alert.objects("seen") where !isFirst {
                guard let label = entry.text("label"), let time = entry.integer("time") else { throw Unreadable() }
                machine.seen[label] = time
            }
            machines[name] = machine
        }
        var waiting: [(notice: AlertNotice, target: String, attempts: Int)] = []
        for entry in object.objects("notices") {
            guard let alert = entry.text("alert"), let label = written(entry.text("label")),
                let since = entry.integer("since"),
                let status = entry.text("status").flatMap(AlertNotice.Status.init), let time = entry.integer("time"),
                let target = entry.text("target"), let attempts = entry.integer("attempts")
            else { throw Unreadable() }
            let notice = AlertNotice(
                alert: alert, status: status, label: label, value: entry.number("value"), reason: entry.text("reason"),
                since: since, time: time)
            waiting.append((notice, target, Int(clamping: attempts)))
        }
        for entry in object.objects("lines") {
            guard let line = AlertLine(entry) else { throw Unreadable() }
            lines.append(line)
        }
        var merged: [String: Int] = [:]
        for entry in object.objects("merged") {
            guard let target = entry.text("target"), let count = entry.integer("count") else { throw Unreadable() }
            merged[target] = Int(clamping: max(count, 0))
        }
        outbox = AlertOutbox(waiting, merged: merged)
        for entry in object.objects("histories") {
            guard let name = entry.text("name"),
                let history = AlertHistory(
                    entry.objects("events"), isFirst ? { (written($0.label), $0.target == nil ? $0.reason : nil) } : nil
                )
            else { throw Unreadable() }
            histories[name] = history
        }
        for entry in object.objects("mutes") {
            guard let name = entry.text("name"), let since = entry.integer("since"), let until = entry.integer("until"),
                let by = entry.text("by")
            else { throw Unreadable() }
            mutes[name] = AlertMute(since: since, until: until, by: by)
        }
        for entry in object.objects("deliveries") {
            guard let name = entry.text("name"), let target = entry.text("target"), let tried = entry.integer("tried")
            else { throw Unreadable() }
            deliveries[name, default: [:]][target] = AlertDelivery(
                tried: tried, failure: entry.text("failure").map { isFirst ? "it was not accepted" : $0 },
                failures: Int(clamping: entry.integer("failures") ?? 0))
        }
    }

    struct Unreadable: Error {}
}

package struct AlertStateFile: Sendable {
    /// In bytes: enough for many alerts with many labels.
    private static let longest = 256 << 20

    private let path: String?

    package var exists: Bool { path.map(FileManager.default.fileExists) ?? false }

    /// - Parameter path: `nil` remembers nothing across restarts.
    package init(path: String?) {
        self.path = path
    }

    /// Reads the state; a missing file is an empty state.
    /// - Throws: ``Problem`` for any other content, which is never overwritten.
    func read() throws(Problem) -> AlertState {
        guard let path else { return AlertState() }
        let bytes: [UInt8]
        do {
            guard let found = try OwnedFile.read(path, limit: Self.longest) else { return AlertState() }
            bytes = found
        } catch {
            throw Problem(
                description: "\(path): the state of alerts cannot be read: \(error); choose another file "
                    + "with --alerts-state")
        }
        // A power loss can leave a new file empty.
        if bytes.isEmpty { return AlertState() }
        if let line = ConflictMarkers.line(in: bytes) {
            throw Problem(description: "\(path):\(line): \(ConflictMarkers.problem)")
        }
        guard let text = String(wellFormed: bytes), let state = try? AlertState(text: text) else {
            throw Problem(
                description: "\(path): does not contain the state of alerts; choose another file with --alerts-state, "
                    + "or delete this one")
        }
        return state
    }

    /// Atomic.
    func write(_ state: AlertState) throws(Problem) {
        guard let path else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw Problem(
                description: "\(path): the folder \(folder) does not exist; make it, or choose another file with "
                    + "--alerts-state")
        }
        do {
            // 0600: with the key, anyone could test which value a label stands for.
            try OwnedFile.replace(path, with: state.text, mode: 0o600)
        } catch {
            throw Problem(
                description: "\(path): the state of alerts cannot be written: \(error)")
        }
    }

    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }
}
