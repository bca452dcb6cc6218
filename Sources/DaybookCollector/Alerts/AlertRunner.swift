import Daybook
import DaybookChecklist
import DaybookStore
import DaybookTools
import Foundation

/// Evaluates due alerts and notifies their targets.
///
/// Its owner calls ``evaluate(at:)`` and ``startDelivering(at:)`` about once a second. Each target has its own task, so
/// that a hanging one delays nothing else; ``stop()`` cancels them.
package actor AlertRunner {
    /// Counts since the start.
    struct Counts: Sendable {
        var evaluations = 0
        /// Failed evaluations, by alert name.
        var failures: [String: Int] = [:]
        var delivered = 0
        var attempts = 0
        /// Given up after a day, or because the target is gone.
        var dropped = 0
        /// Changes never sent on their own: superseded, or dropped for lack of room.
        var merged = 0
    }

    private static let mostAtOnce = 64
    /// Changes per evaluation that are logged one by one; beyond that only their number.
    private static let mostLogged = 100

    private(set) var rules: [AlertRule]
    private(set) var state: AlertState
    private(set) var counts = Counts()
    private let store: any EventStore
    private let statements: any StatementRunner
    private let file: AlertStateFile
    private let sender: AlertSender
    /// For `${NAME}` in targets.
    var secrets: AlertSecrets { sender.secrets }
    private let masking: MaskingPolicy
    private let jitter: @Sendable () -> Double
    private let report: @Sendable (Level, String, Attributes) -> Void
    /// When this process last evaluated each alert.
    private var asked: [String: Int64] = [:]
    private var saved: AlertState
    /// Whether the last save succeeded.
    private var isKept = true
    private var silence = AlertSilence()
    /// By alert name.
    private var watches: [String: AlertWatch] = [:]
    /// Deliveries in flight, by target.
    private var sending: [String: Task<Void, Never>] = [:]

    /// - Parameters:
    ///   - rules: with unique names.
    ///   - statements: runs the alerts' statements. Default: the store.
    ///   - masking: applies to notices, the log and the API. Default: what looks like a credential.
    ///   - jitter: random numbers in 0..<1.
    ///   - report: receives log lines for the operator.
    /// - Throws: ``AlertStateFile/Problem`` for a file that is not a state or not writable.
    package init(
        rules: [AlertRule], store: any EventStore, statements: (any StatementRunner)? = nil, file: AlertStateFile,
        sender: AlertSender, masking: MaskingPolicy = MaskingPolicy(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        report: @escaping @Sendable (Level, String, Attributes) -> Void
    ) throws {
        self.rules = rules
        self.store = store
        self.file = file
        self.sender = sender
        self.masking = masking
        self.jitter = jitter
        self.report = report
        state = try file.read()
        self.statements = MaskedStatements(statements ?? store, masking, state.labels.pseudonyms)
        saved = state
        try file.write(state)
        Self.report(unusable: rules, sender.secrets, report)
    }

    /// Replaces the rules. Alerts that remain keep firing; a watch with changed items restarts with the window before
    /// now.
    package func replace(with rules: [AlertRule]) {
        for rule in self.rules where !rules.contains(where: { $0.name == rule.name && $0.question == rule.question }) {
            watches[rule.name] = nil
        }
        self.rules = rules
        Self.report(unusable: rules, secrets, report)
    }

    /// Reports targets whose secrets are undeclared or unset. Their alerts are still evaluated.
    private static func report(
        unusable rules: [AlertRule], _ secrets: AlertSecrets, _ report: (Level, String, Attributes) -> Void
    ) {
        for rule in rules {
            for target in rule.targets {
                guard let problem = AlertTarget.problem(of: target, secrets: secrets) else { continue }
                report(
                    .error, "A target of the alert \(rule.name) cannot be notified: \(problem).",
                    ["alert": .string(rule.name)])
            }
        }
    }

    /// - Parameter now: nanoseconds since 1970.
    package func evaluate(at now: Int64) async {
        endWhatIsGone(at: now)
        endMutes(at: now)
        save()
        for rule in rules where isDue(rule, now) {
            if Task.isCancelled { return }
            asked[rule.name] = now
            await evaluate(rule, now)
        }
        save()
    }

    /// Resolves firing alerts that are in no file any more.
    private func endWhatIsGone(at now: Int64) {
        let names = Set(rules.map(\.name))
        for (name, machine) in state.machines.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
            state.machines[name] = nil
            for (label, standing) in machine.standings.sorted(by: { $0.key < $1.key }) where standing.phase == .firing {
                let notice = AlertNotice(
                    alert: name, status: .resolved, label: label, reason: "the alert is gone: no file contains it",
                    since: standing.since, time: now)
                tell(notice, standing.targets ?? [])
            }
        }
    }

    private func endMutes(at now: Int64) {
        for (name, mute) in state.mutes where mute.until <= now {
            state.mutes[name] = nil
            state.note(name, .init(kind: .unmuted, time: now))
        }
    }

    /// Mutes an alert: firing notices are held back until the mute ends, and what still fires then is sent. Resolved
    /// notices still go to targets notified before.
    /// - Parameters:
    ///   - seconds: at most ``AlertMute/longest``; 0 unmutes.
    ///   - name: who mutes it, shown to others.
    /// - Returns: `false` for an unknown alert.
    func mute(_ alert: String, for seconds: Int64, by name: String, at now: Int64) -> Bool {
        guard rules.contains(where: { $0.name == alert }) else { return false }
        let until = now + min(max(seconds, 0), AlertMute.longest) * 1_000_000_000
        let isMuted = seconds > 0
        state.mutes[alert] = isMuted ? AlertMute(since: now, until: until, by: name) : nil
        state.note(
            alert, .init(kind: isMuted ? .muted : .unmuted, time: now, by: name, until: isMuted ? until : nil))
        let text =
            isMuted
            ? "is muted until \(Timestamp(nanoseconds: until).rfc3339(fractionDigits: 0))" : "is not muted any more"
        say(.info, "The alert \(alert) \(text), by \(name).", ["alert": .string(alert), "by": .string(name)])
        save()
        return true
    }

    private func isDue(_ rule: AlertRule, _ now: Int64) -> Bool {
        // After the clock was set back, evaluate at once.
        guard let last = asked[rule.name], last <= now else { return true }
        return now - last >= rule.every * 1_000_000_000
    }

    private func evaluate(_ rule: AlertRule, _ now: Int64) async {
        counts.evaluations += 1
        do {
            guard let reading = try await reading(of: rule, now) else { return }
            let before = state.machines[rule.name]?.standings ?? [:]
            let remarks = state.machines[rule.name]?.remarks ?? []
            let isQuiet = state.mutes[rule.name] != nil || rule.quiet.contains { $0.contain(now) }
            let notices = state.machines[rule.name, default: AlertMachine()].take(
                reading, of: rule, at: now, isQuiet: isQuiet)
            // A resolved notice goes where the firing one went.
            for (index, notice) in notices.enumerated() {
                tell(
                    notice, notice.status == .firing ? rule.targets : before[notice.label]?.targets ?? rule.targets,
                    isLogged: index < Self.mostLogged)
            }
            if notices.count > Self.mostLogged {
                say(
                    .warning, "The alert \(rule.name) has \(notices.count - Self.mostLogged) more changes.",
                    ["alert": .string(rule.name)])
            }
            // Save before the next evaluation, which may take long.
            if !notices.isEmpty { save() }
            tellRemarks(of: rule, before: remarks)
        } catch {
            counts.failures[rule.name, default: 0] += 1
            let isNew = state.machines[rule.name]?.failure == nil
            state.machines[rule.name, default: AlertMachine()].fail("\(error)")
            // Log the first failure only.
            if isNew {
                report(.error, "The alert \(rule.name) cannot be evaluated: \(error)", ["alert": .string(rule.name)])
            }
        }
    }

    /// Logs that an answer is judged only in part, once per occurrence.
    private func tellRemarks(of rule: AlertRule, before: [String]) {
        guard before.isEmpty, let machine = state.machines[rule.name], !machine.remarks.isEmpty, !machine.comparesHidden
        else {
            return
        }
        report(
            .warning,
            "The alert \(rule.name) is judged in part. Left out are \(machine.remarks.joined(separator: "; "))",
            ["alert": .string(rule.name)])
    }

    /// `nil` while a watch's first window is incomplete.
    private func reading(of rule: AlertRule, _ now: Int64) async throws -> AlertAnswer? {
        switch rule.question {
        case .sql(let sql): return try await Self.reading(of: sql, by: statements, state.labels)
        case .watch(let watched):
            var watch = try watch(of: rule, watched, now)
            defer {
                if watch.comparesHidden { state.machines[rule.name, default: AlertMachine()].comparesHidden = true }
            }
            let reading = try await watch.reading(of: store, at: now)
            watches[rule.name] = watch
            state.machines[rule.name, default: AlertMachine()].seen = watch.seen
            return reading
        }
    }

    /// The current watch. After a restart it begins one window back; after a longer gap, in which apps may have been
    /// unable to send, now.
    private func watch(of rule: AlertRule, _ watched: AlertRule.Watch, _ now: Int64) throws -> AlertWatch {
        if let watch = watches[rule.name], watch.lastRead <= now { return watch }
        let machine = state.machines[rule.name]
        let goesOn = machine?.evaluated.map { (0...rule.longestPause).contains(now - $0) } ?? false
        return try AlertWatch(
            watched, every: rule.every, from: goesOn ? now - watched.over * 1_000_000_000 : now,
            seen: machine?.seen ?? [:], masking: masking, labels: state.labels, judgesHidden: true)
    }

    /// Runs a statement.
    /// - Throws: ``StoreError`` or ``AlertAnswer/Problem``.
    static func reading(
        of sql: String, by statements: any StatementRunner, _ labels: AlertLabels
    ) async throws -> AlertAnswer {
        var limits = QueryLimits()
        limits.rows = AlertAnswer.maximumRows + 1
        limits.time = .seconds(10)
        return try AlertAnswer(await statements.query(sql, limits: limits), labels)
    }

    private func tell(_ notice: AlertNotice, _ targets: [String], isLogged: Bool = true) {
        // Readers can see the collector's own records, so comparisons of private values go only to the history.
        if isLogged, state.machines[notice.alert]?.comparesHidden != true { log(notice) }
        state.note(
            notice.alert,
            .init(
                kind: notice.status == .resolved ? .resolved : notice.isHeld ? .held : .fired, time: notice.time,
                since: notice.since, label: notice.label.isEmpty ? nil : notice.label, value: notice.value,
                reason: notice.reason))
        guard !notice.isHeld else { return }
        for target in targets { leftOut(state.outbox.add(notice, to: target), for: target, notice.time) }
    }

    private func log(_ notice: AlertNotice) {
        let label = notice.label.isEmpty ? "" : " (\(notice.label))"
        let value = notice.reason ?? notice.value.map { JSONWriter.text(.double($0)) } ?? "no data"
        say(
            notice.status == .firing ? .warning : .info,
            "The alert \(notice.alert)\(label) is \(notice.status.rawValue): \(value).",
            [
                "alert": .string(notice.alert), "label": .string(notice.label),
                "status": .string(notice.status.rawValue), "value": notice.value.map { .double($0) } ?? .null,
            ])
    }

    /// Counts merged changes, and logs the merging once per outage of a target.
    private func leftOut(_ count: Int, for target: String, _ now: Int64) {
        counts.merged += count
        guard count > 0, silence.isWorthSaying("merging \(target)", at: now) else { return }
        report(
            .warning,
            "Changes are merged for `notify \(AlertTarget.shown(target))`, which takes no messages: it will be told the latest of each "
                + "label, \(AlertOutbox.most) at most, and how many are left out.", [:])
    }

    /// Starts a delivery to each due target without one in flight. Returns at once.
    /// - Parameter now: nanoseconds since 1970.
    package func startDelivering(at now: Int64) {
        for (target, notices) in state.outbox.expire(before: now - AlertRetry.lifetime) {
            giveUp(notices, target, "the target did not accept it for a day", now)
        }
        for target in state.outbox.due(at: now) where sending[target] == nil {
            guard sending.count < Self.mostAtOnce else { break }
            sending[target] = WorkThreads.runBeside { [self] in await deliverAll(to: target, now) }
        }
        state.keep(only: Set(rules.map(\.name)))
        save()
    }

    /// Delivers to each due target and awaits the responses.
    package func deliver(at now: Int64) async {
        startDelivering(at: now)
        await settle()
    }

    /// Cancels deliveries in flight; the next start sends them.
    package func stop() async {
        for task in sending.values { task.cancel() }
        await settle()
    }

    private func settle() async {
        while let task = sending.values.first { await task.value }
        state.keep(only: Set(rules.map(\.name)))
        save()
    }

    private func deliverAll(to target: String, _ now: Int64) async {
        await deliver(to: target, now)
        save()
        sending[target] = nil
    }

    /// Delivers a target's queue. A template target gets one alert per message: each alert has its own template.
    private func deliver(to target: String, _ now: Int64) async {
        let destination: AlertTarget.Destination
        switch AlertTarget.resolve(target, secrets: sender.secrets) {
        case .success(let found): destination = found
        case .failure(let problem): return giveUp(state.outbox.giveUp(target), target, problem.message, now)
        }
        let isTemplate = destination.kind == .template
        while !Task.isCancelled,
            let (message, left) = state.outbox.take(for: target, ofOneAlert: isTemplate, at: now)
        {
            leftOut(left, for: target, now)
            guard await send(message, to: target, destination, now) else { return }
        }
    }

    /// Returns whether to send the target's next message.
    private func send(
        _ message: AlertOutbox.Message, to target: String, _ destination: AlertTarget.Destination, _ now: Int64
    ) async -> Bool {
        let notices = message.notices
        counts.attempts += 1
        let told = AlertMessage(
            notices.map { notice in (notice: notice, rule: rules.first { $0.name == notice.alert }) },
            merged: message.merged)
        let names = Self.names(of: notices)
        guard let refusal = await sender.send(told, to: destination, at: now) else {
            state.outbox.accepted(by: target)
            counts.delivered += notices.count
            note(notices, .delivered, target, now)
            // Save at once: a restart would send an unsaved delivery again.
            save()
            _ = silence.ends("merging \(target)")
            if silence.ends(target) {
                let merged = message.merged > 0 ? " \(message.merged) earlier changes were merged." : ""
                report(.info, "\(destination.host) accepts alert messages again.\(merged)", [:])
            }
            return true
        }
        if Task.isCancelled {
            _ = state.outbox.refused(by: target, nextTry: nil)
            return false
        }
        if silence.isWorthSaying(target, at: now) {
            report(
                .warning,
                "\(destination.host) did not accept a message of the alert \(names), which will be retried: \(refusal.reason)",
                ["alert": .string(names), "host": .string(destination.host)])
        }
        note(notices, .refused, target, now, masking.masked(refusal.whole))
        let attempts = state.outbox.attempts(of: target) + 1
        let delay = max(AlertRetry.delay(attempts: attempts, jitter: jitter()), refusal.retryAfter ?? 0)
        leftOut(state.outbox.refused(by: target, nextTry: now + delay), for: target, now)
        return false
    }

    private static func names(of notices: [AlertNotice]) -> String {
        Set(notices.map(\.alert)).sorted().joined(separator: ", ")
    }

    private func note(
        _ notices: [AlertNotice], _ kind: AlertHistory.Event.Kind, _ target: String, _ now: Int64,
        _ reason: String? = nil
    ) {
        for alert in Set(notices.map(\.alert)) {
            state.note(alert, .init(kind: kind, time: now, reason: reason, target: target))
            var delivery = AlertDelivery(tried: now, failure: reason)
            if reason != nil { delivery.failures = (state.deliveries[alert]?[target]?.failures ?? 0) + 1 }
            state.deliveries[alert, default: [:]][target] = delivery
        }
    }

    private func giveUp(_ notices: [AlertNotice], _ target: String, _ reason: String, _ now: Int64) {
        guard !notices.isEmpty else { return }
        counts.dropped += notices.count
        note(notices, .dropped, target, now, reason)
        let names = Self.names(of: notices)
        say(.error, "A message of the alert \(names) was given up: \(reason).", ["alert": .string(names)])
    }

    /// Queues a log line for the next ``save()``.
    private func say(_ level: Level, _ message: String, _ attributes: Attributes) {
        state.lines.append(AlertLine(level: level, message: message, attributes: attributes))
    }

    /// Saves the state, then logs the queued lines: nothing is logged or sent that a restart would not know.
    private func save() {
        write()
        let lines = state.lines
        guard !lines.isEmpty else { return }
        state.lines = []
        for line in lines { report(line.level, line.message, line.attributes) }
        write()
    }

    private func write() {
        guard state != saved else { return }
        do throws(AlertStateFile.Problem) {
            try file.write(state)
            saved = state
            if !isKept { report(.info, "The state of the alerts is saved again.", [:]) }
            isKept = true
        } catch {
            // Log the first failure only.
            if isKept { report(.error, "The state of the alerts could not be saved: \(error)", [:]) }
            isKept = false
        }
    }
}
