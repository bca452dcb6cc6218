import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTools

/// The API of alerts' states and mutes; see docs/json-api.md. The caller checks the token.
package struct AlertsAPI: Sendable {
    private let runner: AlertRunner?
    private let isManager: @Sendable (HTTPHeaders) -> Bool
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - runner: `nil` if no alerts are configured; the list is then empty.
    ///   - isManager: whether a request may see secrets: whole target addresses, their responses, and the state of
    ///     alerts that compare private values. Default: none may.
    ///   - now: nanoseconds since 1970. Default: the system's clock.
    package init(
        _ runner: AlertRunner?, isManager: @escaping @Sendable (HTTPHeaders) -> Bool = { _ in false },
        now: @escaping @Sendable () -> Int64 = PipelineClock.system.wall
    ) {
        (self.runner, self.isManager, self.now) = (runner, isManager, now)
    }

    package var routes: [HTTPRoute] {
        [
            HTTPRoute(Endpoints.alerts) { await alerts($0.head) },
            HTTPRoute(responding: Endpoints.alertHistory) { try await history($0.head) },
            HTTPRoute(responding: Endpoints.alertMute, bodyLimit: 4_096) { try await mute($0.head, $0.body) },
        ]
    }

    private func alerts(_ head: HTTPRequest.Head) async -> AlertsAnswer {
        await runner?.summary(forManagers: isManager(head.headers)) ?? AlertsAnswer()
    }

    private func history(_ head: HTTPRequest.Head) async throws -> HTTPResponse {
        guard let name = head.parameter("alert") else {
            throw HTTPRoutingError.badRequest("alert is missing: the name of the alert.")
        }
        guard let events = await runner?.events(of: name, forManagers: isManager(head.headers)) else {
            return await unknown(name)
        }
        return HTTPResponse(Endpoints.alertHistory.form, AlertEvents(events: events))
    }

    private func mute(_ head: HTTPRequest.Head, _ body: [UInt8]) async throws -> HTTPResponse {
        let (alert, text, by) = try RequestBody.read(
            body, "The body is a JSON object: {\"alert\": name, \"for\": \"2h\", \"by\": who}."
        ) { ($0.text("alert", limit: nil), $0.text("for"), $0.text("by")) }
        guard let seconds = DurationText.seconds(text[...], units: [.second, .minute, .hour, .day]),
            (0...AlertMute.longest).contains(seconds)
        else {
            throw HTTPRoutingError.badRequest("“for” is a time such as 2h, at most 30d, and 0s ends a mute.")
        }
        guard await runner?.mute(alert, for: seconds, by: by, at: now()) == true else { return await unknown(alert) }
        return HTTPResponse(Endpoints.alertMute.form, await alerts(head))
    }

    private func unknown(_ name: String) async -> HTTPResponse {
        let near = NearestName.of(name, among: await runner?.rules.map(\.name) ?? []).map { " Did you mean `\($0)`?" }
        return HTTPResponse(
            failure: Problem(.notFound, "There is no alert `\(name.printable)`.\(near ?? "")"))
    }
}

extension AlertRunner {
    /// Replaces a target's own words in a refusal.
    private static let hiddenAnswer = "the target did not accept it; its answer is shown to those who manage"

    func summary(forManagers: Bool) -> AlertsAnswer {
        let isTold = forManagers || !state.machines.values.contains(where: \.comparesHidden)
        return AlertsAnswer(
            alerts: rules.map { summary(of: $0, forManagers) },
            notices: isTold
                ? .init(
                    waiting: state.outbox.count, delivered: counts.delivered, dropped: counts.dropped,
                    merged: counts.merged) : nil)
    }

    /// Whether the state is hidden because it depends on private values.
    private func isHidden(_ name: String, _ forManagers: Bool) -> Bool {
        !forManagers && state.machines[name]?.comparesHidden == true
    }

    /// An alert's history, newest first; `nil` for an unknown alert.
    func events(of name: String, forManagers: Bool) -> [AlertHistory.Event]? {
        guard rules.contains(where: { $0.name == name }) else { return nil }
        let events = (state.histories[name]?.events ?? []).filter { event in
            !isHidden(name, forManagers) || [.muted, .unmuted].contains(event.kind)
        }
        return events.reversed().map { event in
            var event = event
            event.target = event.target.map { forManagers ? $0 : AlertTarget.shown($0) }
            if event.kind == .refused, !forManagers { event.reason = Self.hiddenAnswer }
            return event
        }
    }

    private func deliveries(of rule: AlertRule, _ forManagers: Bool) -> [ShownAlert.Delivery] {
        if isHidden(rule.name, forManagers) { return [] }
        let targets = state.outbox.targets(of: rule.name).union(rule.targets)
        return targets.sorted().map { target in
            let delivery = state.deliveries[rule.name]?[target]
            let standing = state.outbox.standing(of: rule.name, for: target)
            let answer = delivery?.failure.map { forManagers ? $0 : Self.hiddenAnswer }
            return ShownAlert.Delivery(
                target: forManagers ? target : AlertTarget.shown(target), tried: delivery?.tried,
                failure: AlertTarget.problem(of: target, secrets: secrets)?.message ?? answer,
                failures: delivery?.failures ?? 0, waiting: standing.waiting, nextTry: standing.nextTry)
        }
    }

    private func summary(of rule: AlertRule, _ forManagers: Bool) -> ShownAlert {
        let isHidden = isHidden(rule.name, forManagers)
        var machine = state.machines[rule.name] ?? AlertMachine()
        if isHidden { (machine.standings, machine.failure, machine.remarks) = ([:], nil, []) }
        var (sql, checklist) = (String?.none, String?.none)
        switch rule.question {
        case .sql(let text): sql = text
        case .watch(let watch): checklist = watch.text
        }
        return ShownAlert(
            name: rule.name, state: isHidden ? .hidden : machine.shownState, prose: rule.prose, sql: sql,
            checklist: checklist, condition: rule.conditionText, every: DurationText.text(rule.every),
            targets: rule.targets.map { forManagers ? $0 : AlertTarget.shown($0) }, evaluated: machine.evaluated,
            failure: machine.failure, remarks: machine.remarks,
            labels: machine.standings.sorted { $0.key < $1.key }.map { label, standing in
                ShownAlert.Label(label: label.isEmpty ? nil : label, standing: standing)
            }, deliveries: deliveries(of: rule, forManagers), mute: state.mutes[rule.name],
            quiet: rule.quiet.map(\.text), file: rule.file, line: rule.line)
    }

    package func write(to text: inout PrometheusText) {
        text.add(
            "daybook_alert_firing", .gauge, "How many labels of the alert fire; 0 or 1 for one without labels.",
            rules.map { rule in
                let firing = state.machines[rule.name]?.standings.values.count { $0.phase == .firing } ?? 0
                return ([("alert", rule.name)], Double(firing))
            })
        text.add("daybook_alert_evaluations_total", .counter, "Evaluations of alerts.", counts.evaluations)
        text.add(
            "daybook_alert_failures_total", .counter, "Evaluations that failed.",
            rules.map { ([("alert", $0.name)], Double(counts.failures[$0.name] ?? 0)) })
        text.add(
            "daybook_alert_partial", .gauge, "Whether the last evaluation left something out.",
            rules.map { ([("alert", $0.name)], state.machines[$0.name]?.remarks.isEmpty == false ? 1 : 0) })
        text.add(
            "daybook_alert_notices_waiting", .gauge, "Messages not yet accepted by their target.", state.outbox.count)
        text.add(
            "daybook_alert_notices_delivered_total", .counter, "Messages accepted by their target.", counts.delivered)
        text.add("daybook_alert_notices_dropped_total", .counter, "Messages given up.", counts.dropped)
        text.add(
            "daybook_alert_notices_merged_total", .counter,
            "Changes not told by themselves: a later one took their place, or there was no room.", counts.merged)
    }
}

extension AlertMachine {
    /// `unknown` before the first evaluation.
    var shownState: ShownAlert.State {
        if failure != nil { return .failed }
        if standings.values.contains(where: { $0.phase == .firing }) { return .firing }
        if !standings.isEmpty { return .pending }
        if evaluated == nil { return .unknown }
        return hasNoData ? .noData : .inactive
    }
}
