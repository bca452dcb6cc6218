import DaybookBase
import DaybookStore
import Foundation

/// What alerts remember across restarts: how each stands, and what is still to be told. Kept as one JSON file; it holds
/// no secret, for targets stand in it as they are written.
struct AlertState: Sendable, Equatable {
    /// A notice on its way to one target.
    struct Outgoing: Sendable, Equatable {
        var notice: AlertNotice
        /// As it is written: `${WEBHOOK_URL}`.
        var target: String
        var attempts = 0
        /// When it may be tried next, in nanoseconds since 1970.
        var nextTry: Int64 = 0
    }

    /// By the alert's name.
    var machines: [String: AlertMachine] = [:]
    /// In the order in which they happened.
    var outgoing: [Outgoing] = []
}

extension AlertState {
    /// The state as text.
    var text: String {
        let alerts = machines.sorted { $0.key < $1.key }.map { name, machine in
            let standings = machine.standings.sorted { $0.key < $1.key }.map { label, standing in
                Value.object([
                    "label": .string(label), "phase": .string(standing.phase.rawValue), "since": .int(standing.since),
                    "value": standing.value.map { .double($0) } ?? .null,
                    "reason": standing.reason.map { .string($0) } ?? .null,
                    "targets": standing.targets.map { .array($0.map { .string($0) }) } ?? .null,
                ])
            }
            let seen = machine.seen.sorted { $0.key < $1.key }.map { label, time in
                Value.object(["label": .string(label), "time": .int(time)])
            }
            return Value.object([
                "name": .string(name), "evaluated": machine.evaluated.map { .int($0) } ?? .null,
                "standings": .array(standings), "seen": .array(seen),
            ])
        }
        let notices = outgoing.map { outgoing in
            Value.object([
                "alert": .string(outgoing.notice.alert), "status": .string(outgoing.notice.status.rawValue),
                "label": .string(outgoing.notice.label), "since": .int(outgoing.notice.since),
                "value": outgoing.notice.value.map { .double($0) } ?? .null, "time": .int(outgoing.notice.time),
                "reason": outgoing.notice.reason.map { .string($0) } ?? .null,
                "target": .string(outgoing.target), "attempts": .int(Int64(outgoing.attempts)),
            ])
        }
        let object: Attributes = ["version": 1, "alerts": .array(alerts), "notices": .array(notices)]
        return JSONWriter.text(object) + "\n"
    }

    /// The state of a text.
    /// - Throws: ``Unreadable``.
    init(text: String) throws(Unreadable) {
        guard let value = try? JSONReader.value(of: Array(text.utf8)), case .object(let object) = value,
            object["version"] == 1
        else { throw Unreadable() }
        for alert in object.objects("alerts") {
            guard let name = alert.text("name") else { throw Unreadable() }
            var machine = AlertMachine()
            machine.evaluated = alert.integer("evaluated")
            for entry in alert.objects("standings") {
                guard let label = entry.text("label"), let since = entry.integer("since"),
                    let phase = entry.text("phase").flatMap(AlertMachine.Standing.Phase.init)
                else { throw Unreadable() }
                machine.standings[label] = .init(
                    phase: phase, since: since, value: entry.number("value"), reason: entry.text("reason"),
                    targets: entry.texts("targets"))
            }
            for entry in alert.objects("seen") {
                guard let label = entry.text("label"), let time = entry.integer("time") else { throw Unreadable() }
                machine.seen[label] = time
            }
            machines[name] = machine
        }
        for entry in object.objects("notices") {
            guard let alert = entry.text("alert"), let label = entry.text("label"), let since = entry.integer("since"),
                let status = entry.text("status").flatMap(AlertNotice.Status.init), let time = entry.integer("time"),
                let target = entry.text("target"), let attempts = entry.integer("attempts")
            else { throw Unreadable() }
            let notice = AlertNotice(
                alert: alert, status: status, label: label, value: entry.number("value"), reason: entry.text("reason"),
                since: since, time: time)
            outgoing.append(Outgoing(notice: notice, target: target, attempts: Int(clamping: attempts)))
        }
    }

    /// A text that is no state.
    struct Unreadable: Error {}
}

extension Attributes {
    fileprivate func objects(_ key: String) -> [Attributes] {
        guard case .array(let values)? = self[key] else { return [] }
        return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }

    /// `nil` where there is no array.
    fileprivate func texts(_ key: String) -> [String]? {
        guard case .array(let values)? = self[key] else { return nil }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    fileprivate func text(_ key: String) -> String? {
        if case .string(let text)? = self[key] { text } else { nil }
    }

    fileprivate func integer(_ key: String) -> Int64? {
        if case .int(let integer)? = self[key] { integer } else { nil }
    }

    fileprivate func number(_ key: String) -> Double? {
        switch self[key] {
        case .int(let integer)?: Double(integer)
        case .double(let double)?: double
        default: nil
        }
    }
}

/// Where alerts keep what they remember.
package struct AlertStateFile: Sendable {
    private let path: String?

    /// Whether something was remembered.
    package var exists: Bool { path.map(FileManager.default.fileExists) ?? false }

    /// A file; `nil` remembers nothing across restarts.
    package init(path: String?) {
        self.path = path
    }

    /// What was remembered; a file that is missing is an empty state.
    /// - Throws: ``Problem`` for a file that is something else: it is not overwritten.
    func read() throws(Problem) -> AlertState {
        guard let path, FileManager.default.fileExists(atPath: path) else { return AlertState() }
        let bytes: Data
        do {
            bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).readToEnd() ?? Data()
        } catch {
            throw Problem(
                description: "\(path): the state of alerts cannot be read: \(error.fileReason); choose another file "
                    + "with --alerts-state")
        }
        // What a loss of power can leave of a file that was just made.
        if bytes.isEmpty { return AlertState() }
        guard let text = String(wellFormed: bytes), let state = try? AlertState(text: text) else {
            throw Problem(
                description: "\(path): holds no state of alerts; choose another file with --alerts-state, or delete "
                    + "this one")
        }
        return state
    }

    /// Writes the state in one step.
    /// - Throws: ``Problem`` with what the file system says.
    func write(_ state: AlertState) throws(Problem) {
        guard let path else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw Problem(
                description: "\(path): the folder \(folder) does not exist; make it, or choose another file with "
                    + "--alerts-state")
        }
        do {
            try Data(state.text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Problem(
                description: "\(path): the state of alerts cannot be written: \(error.fileReason)")
        }
    }

    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }
}
