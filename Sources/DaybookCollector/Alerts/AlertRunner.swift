import Daybook
import DaybookChecklist
import DaybookStore
import Foundation

/// Evaluates alerts when they are due and tells their targets.
///
/// Nothing here knows the time or waits: whoever owns it calls ``evaluate(at:)`` and ``deliver(at:)`` every second or so,
/// from one task each, so that a target that hangs holds up no evaluation.
package actor AlertRunner {
    /// Counts since the start.
    struct Counts: Sendable {
        var evaluations = 0
        /// Evaluations that failed, by the alert's name.
        var failures: [String: Int] = [:]
        var delivered = 0
        var attempts = 0
        /// Given up after a day, or because the target is gone.
        var dropped = 0
    }

    private(set) var rules: [AlertRule]
    private(set) var state: AlertState
    private(set) var counts = Counts()
    private let store: any EventStore
    private let statements: any StatementRunner
    private let file: AlertStateFile
    private let environment: [String: String]
    private let userAgent: String
    /// What is masked in what is told, of whom an alert fires for and why.
    let masking: MaskingPolicy
    private let transport: any HTTPTransport
    private let jitter: @Sendable () -> Double
    private let report: @Sendable (Level, String, Attributes) -> Void
    /// When each alert was last asked, in this process.
    private var asked: [String: Int64] = [:]
    private var saved: AlertState
    /// Whether the state could be written the last time.
    private var isKept = true
    private var silence = AlertSilence()
    /// By the alert's name.
    private var watches: [String: AlertWatch] = [:]

    /// A runner.
    /// - Parameters:
    ///   - rules: with different names.
    ///   - statements: runs the alerts' statements; `nil`, the default, for the store itself.
    ///   - environment: for `${NAME}` in targets.
    ///   - version: the collector's, for the targets.
    ///   - masking: what is masked in notices, in the log and in the API. Default: what looks like a credential.
    ///   - transport: sends notices.
    ///   - jitter: random numbers in 0..<1.
    ///   - report: takes what the operator should know.
    /// - Throws: ``AlertStateFile/Problem`` for a file that is no state, or cannot be written.
    package init(
        rules: [AlertRule], store: any EventStore, statements: (any StatementRunner)? = nil, file: AlertStateFile,
        environment: [String: String], version: String, masking: MaskingPolicy = MaskingPolicy(),
        transport: any HTTPTransport = URLSessionTransport(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        report: @escaping @Sendable (Level, String, Attributes) -> Void
    ) throws {
        self.rules = rules
        self.store = store
        self.statements = statements ?? store
        self.file = file
        self.environment = environment
        userAgent = "daybook/\(version)"
        self.masking = masking
        self.transport = transport
        self.jitter = jitter
        self.report = report
        state = try file.read()
        saved = state
        try file.write(state)
    }

    /// Takes other rules from now on. What fires goes on where the alert is still there; a watch of other items begins anew,
    /// with the window before now.
    package func replace(with rules: [AlertRule]) {
        for rule in self.rules where !rules.contains(where: { $0.name == rule.name && $0.question == rule.question }) {
            watches[rule.name] = nil
        }
        self.rules = rules
    }

    /// Asks every alert that is due.
    /// - Parameter now: nanoseconds since 1970.
    package func evaluate(at now: Int64) async {
        endWhatIsGone(at: now)
        for rule in rules where isDue(rule, now) {
            if Task.isCancelled { return }
            asked[rule.name] = now
            await evaluate(rule, now)
        }
        save()
    }

    /// Ends the alerts that no file has any more: who was told that one fires is told that it is over.
    private func endWhatIsGone(at now: Int64) {
        let names = Set(rules.map(\.name))
        for (name, machine) in state.machines.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
            state.machines[name] = nil
            for (label, standing) in machine.standings.sorted(by: { $0.key < $1.key }) where standing.phase == .firing {
                let notice = AlertNotice(
                    alert: name, status: .resolved, label: label, reason: "the alert is gone: no file has it any more",
                    since: standing.since, time: now)
                tell(notice, standing.targets ?? [])
            }
        }
    }

    private func isDue(_ rule: AlertRule, _ now: Int64) -> Bool {
        // A clock that was set back must not silence an alert.
        guard let last = asked[rule.name], last <= now else { return true }
        return now - last >= rule.every * 1_000_000_000
    }

    private func evaluate(_ rule: AlertRule, _ now: Int64) async {
        counts.evaluations += 1
        do {
            guard let reading = try await reading(of: rule, now) else { return }
            let before = state.machines[rule.name]?.standings ?? [:]
            let notices = state.machines[rule.name, default: AlertMachine()].take(reading, of: rule, at: now)
            // The end goes where the beginning went.
            for notice in notices { tell(notice, before[notice.label]?.targets ?? rule.targets) }
        } catch {
            counts.failures[rule.name, default: 0] += 1
            let isNew = state.machines[rule.name]?.failure == nil
            state.machines[rule.name, default: AlertMachine()].fail("\(error)")
            // Once, and not every time while it lasts.
            if isNew {
                report(.error, "The alert \(rule.name) cannot be evaluated: \(error)", ["alert": .string(rule.name)])
            }
        }
    }

    /// What an alert's question is answered with now; `nil` while the first window of a watch is not over.
    private func reading(of rule: AlertRule, _ now: Int64) async throws -> AlertReading? {
        switch rule.question {
        case .sql(let sql): return try await Self.reading(of: sql, by: statements)
        case .watch(let watched):
            var watch = try watch(of: rule, watched, now)
            let reading = try await watch.reading(of: store, at: now)
            watches[rule.name] = watch
            state.machines[rule.name, default: AlertMachine()].seen = watch.seen
            return reading
        }
    }

    /// The watch that goes on; after a restart one that begins with the window before it. While nobody looked for
    /// longer, the apps may not have been able to send: the first window then begins now.
    private func watch(of rule: AlertRule, _ watched: AlertRule.Watch, _ now: Int64) throws -> AlertWatch {
        if let watch = watches[rule.name], watch.lastRead <= now { return watch }
        let machine = state.machines[rule.name]
        let goesOn = machine?.evaluated.map { (0...rule.longestPause).contains(now - $0) } ?? false
        return try AlertWatch(
            watched, every: rule.every, from: goesOn ? now - watched.over * 1_000_000_000 : now,
            seen: machine?.seen ?? [:])
    }

    /// What a statement answers now.
    /// - Throws: ``StoreError`` or ``AlertReading/Problem``.
    static func reading(of sql: String, by statements: any StatementRunner) async throws -> AlertReading {
        var limits = QueryLimits()
        limits.rows = AlertReading.maximumLabels + 1
        limits.time = .seconds(10)
        return try AlertReading(await statements.query(sql, limits: limits))
    }

    private func tell(_ whole: AlertNotice, _ targets: [String]) {
        let notice = whole.masked(by: masking)
        let label = notice.label.isEmpty ? "" : " (\(notice.label))"
        let value = notice.reason ?? notice.value.map { JSONWriter.text(.double($0)) } ?? "no data"
        report(
            notice.status == .firing ? .warning : .info,
            "The alert \(notice.alert)\(label) is \(notice.status.rawValue): \(value).",
            [
                "alert": .string(notice.alert), "label": .string(notice.label),
                "status": .string(notice.status.rawValue), "value": notice.value.map { .double($0) } ?? .null,
            ])
        for target in targets { state.outgoing.append(.init(notice: whole, target: target)) }
    }

    /// Sends what is to be told, for each target in order; one that does not answer holds up only its own.
    /// - Parameter now: nanoseconds since 1970.
    package func deliver(at now: Int64) async {
        for target in Set(state.outgoing.map(\.target)).sorted() {
            // Only this task takes from the queue; evaluations add at its end.
            while let index = state.outgoing.firstIndex(where: { $0.target == target }), !Task.isCancelled {
                guard await deliver(state.outgoing[index], at: index, now) else { break }
            }
        }
        save()
    }

    /// Whether the target is to be given its next notice.
    private func deliver(_ outgoing: AlertState.Outgoing, at index: Int, _ now: Int64) async -> Bool {
        let notice = outgoing.notice
        let url: URL
        switch AlertTarget.resolve(outgoing.target, environment: environment) {
        case .success(let resolved) where now - notice.time < AlertRetry.lifetime: url = resolved
        case .success: return giveUp(notice, at: index, "nobody took it for a day")
        case .failure(let problem): return giveUp(notice, at: index, problem.message)
        }
        // A notice from the future is one from before the clock was set back.
        if outgoing.nextTry > now, outgoing.nextTry - now <= 300_000_000_000 { return false }
        counts.attempts += 1
        let host = AlertTarget.host(of: url)
        guard let failure = await send(notice, to: url) else {
            state.outgoing.remove(at: index)
            counts.delivered += 1
            if silence.ends(outgoing.target) { report(.info, "\(host) takes notices of alerts again.", [:]) }
            return true
        }
        if silence.isWorthSaying(outgoing.target, at: now) {
            report(
                .warning,
                "\(host) did not take a notice of the alert \(notice.alert), which is tried again: \(failure)",
                ["alert": .string(notice.alert), "host": .string(host)])
        }
        state.outgoing[index].attempts += 1
        state.outgoing[index].nextTry =
            now + AlertRetry.delay(attempts: state.outgoing[index].attempts, jitter: jitter())
        return false
    }

    /// Why a notice was not taken, as the end of a sentence; `nil` where it was.
    private func send(_ notice: AlertNotice, to url: URL) async -> String? {
        let rule = rules.first { $0.name == notice.alert }
        let request = TransportRequest(
            url: url, headers: ["content-type": "application/json", "user-agent": userAgent],
            body: Array(AlertMessage.text(notice.masked(by: masking), rule).utf8), timeout: .seconds(10))
        do {
            let status = try await transport.send(request).status
            return (200...299).contains(status) ? nil : "it answered \(status)"
        } catch {
            return "it did not answer: \(error.localizedDescription)"
        }
    }

    private func giveUp(_ notice: AlertNotice, at index: Int, _ reason: String) -> Bool {
        state.outgoing.remove(at: index)
        counts.dropped += 1
        report(
            .error, "A notice of the alert \(notice.alert) was given up: \(reason).", ["alert": .string(notice.alert)])
        return true
    }

    private func save() {
        guard state != saved else { return }
        do throws(AlertStateFile.Problem) {
            try file.write(state)
            saved = state
            if !isKept { report(.info, "The state of the alerts is kept again.", [:]) }
            isKept = true
        } catch {
            // Once, and not every time while it lasts.
            if isKept { report(.error, "The state of the alerts is not kept: \(error)", [:]) }
            isKept = false
        }
    }
}
