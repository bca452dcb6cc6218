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
            HTTPRoute("GET", "/api/v1/alerts") { await alerts($0.head) },
            HTTPRoute("GET", "/api/v1/alerts/history", parameters: ["alert"]) { try await history($0.head) },
            HTTPRoute("POST", "/api/v1/alerts/mute", bodyLimit: 4_096) { try await mute($0.head, $0.body) },
        ]
    }

    private func alerts(_ head: HTTPRequest.Head) async -> HTTPResponse {
        Self.success(
            await runner?.summary(forManagers: isManager(head.headers)) ?? [
                "alerts": .array([]), "notices": ["waiting": 0, "delivered": 0, "dropped": 0, "merged": 0],
            ])
    }

    private func history(_ head: HTTPRequest.Head) async throws -> HTTPResponse {
        guard let name = head.parameter("alert") else {
            throw HTTPRoutingError.badRequest("alert is missing: the name of the alert.")
        }
        guard let events = await runner?.events(of: name, forManagers: isManager(head.headers)) else {
            return await unknown(name)
        }
        return Self.success(["events": events])
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
        return await alerts(head)
    }

    private func unknown(_ name: String) async -> HTTPResponse {
        let near = NearestName.of(name, among: await runner?.rules.map(\.name) ?? []).map { " Did you mean `\($0)`?" }
        return .problem(404, code: "not_found", "There is no alert `\(name.printable)`.\(near ?? "")")
    }

    private static func success(_ data: Attributes) -> HTTPResponse {
        var response = HTTPResponse(
            status: 200, contentType: "application/json; charset=utf-8",
            text: JSONWriter.text(["ok": true, "data": .object(data)] as Attributes))
        response.headers["cache-control"] = "no-store"
        return response
    }
}

extension AlertRunner {
    /// Replaces a target's own words in a refusal.
    private static let hiddenAnswer = "the target did not accept it; its answer is shown to those who manage"

    func summary(forManagers: Bool) -> Attributes {
        let counted: Value = [
            "waiting": .int(Int64(state.outbox.count)), "delivered": .int(Int64(counts.delivered)),
            "dropped": .int(Int64(counts.dropped)), "merged": .int(Int64(counts.merged)),
        ]
        let isTold = forManagers || !state.machines.values.contains(where: \.comparesHidden)
        return [
            "alerts": .array(rules.map { .object(summary(of: $0, forManagers)) }), "notices": isTold ? counted : .null,
        ]
    }

    /// Whether the state is hidden because it depends on private values.
    private func isHidden(_ name: String, _ forManagers: Bool) -> Bool {
        !forManagers && state.machines[name]?.comparesHidden == true
    }

    /// An alert's history, newest first; `nil` for an unknown alert.
    func events(of name: String, forManagers: Bool) -> Value? {
        guard rules.contains(where: { $0.name == name }) else { return nil }
        let events = (state.histories[name]?.events ?? []).filter { event in
            !isHidden(name, forManagers) || [.muted, .unmuted].contains(event.kind)
        }
        return .array(
            events.reversed().map { event in
                var event = event
                event.target = event.target.map { forManagers ? $0 : AlertTarget.shown($0) }
                if event.kind == .refused, !forManagers { event.reason = Self.hiddenAnswer }
                // As strings: nanoseconds exceed JavaScript's exact integers.
                var members = event.members
                for name in ["time", "since", "until"] {
                    if case .int(let time)? = members[name] { members[name] = .string(String(time)) }
                }
                return .object(members)
            })
    }

    private func deliveries(of rule: AlertRule, _ forManagers: Bool) -> Value {
        if isHidden(rule.name, forManagers) { return .array([]) }
        let targets = state.outbox.targets(of: rule.name).union(rule.targets)
        return .array(
            targets.sorted().map { target in
                let delivery = state.deliveries[rule.name]?[target]
                let standing = state.outbox.standing(of: rule.name, for: target)
                let answer = delivery?.failure.map { forManagers ? $0 : Self.hiddenAnswer }
                let failure = AlertTarget.problem(of: target, secrets: secrets)?.message ?? answer
                return .object([
                    "target": .string(forManagers ? target : AlertTarget.shown(target)),
                    "tried": delivery.map { .string(String($0.tried)) } ?? .null,
                    "failure": Value(failure),
                    "failures": .int(Int64(delivery?.failures ?? 0)),
                    "waiting": .int(Int64(standing.waiting)),
                    "next_try": standing.nextTry.map { .string(String($0)) } ?? .null,
                ])
            })
    }

    private func summary(of rule: AlertRule, _ forManagers: Bool) -> Attributes {
        let isHidden = isHidden(rule.name, forManagers)
        var machine = state.machines[rule.name] ?? AlertMachine()
        if isHidden { (machine.standings, machine.failure, machine.remarks) = ([:], nil, []) }
        let labels = machine.standings.sorted { $0.key < $1.key }.map { label, standing in
            Value.object([
                "label": label.isEmpty ? .null : .string(label),
                "state": .string(standing.phase.rawValue),
                "since": .string(String(standing.since)), "value": standing.value.map { .double($0) } ?? .null,
                "reason": Value(standing.reason),
                "held": .bool(standing.isHeld),
            ])
        }
        let mute = state.mutes[rule.name].map { mute in
            Value.object([
                "since": .string(String(mute.since)), "until": .string(String(mute.until)), "by": .string(mute.by),
            ])
        }
        let (sql, checklist): (Value, Value) =
            switch rule.question {
            case .sql(let sql): (.string(sql), .null)
            case .watch(let watch): (.null, .string(watch.text))
            }
        return [
            "name": .string(rule.name), "state": .string(isHidden ? "hidden" : machine.stateName),
            "description": .string(rule.prose),
            "sql": sql, "checklist": checklist, "condition": .string(rule.conditionText),
            "every": .string(DurationText.text(rule.every)),
            "targets": .array(rule.targets.map { .string(forManagers ? $0 : AlertTarget.shown($0)) }),
            "evaluated": machine.evaluated.map { .string(String($0)) } ?? .null,
            "failure": Value(machine.failure),
            "left_out": .array(machine.remarks.map { .string($0) }), "labels": .array(labels),
            "deliveries": deliveries(of: rule, forManagers), "mute": mute ?? .null,
            "quiet": .array(rule.quiet.map { .string($0.text) }),
            "file": .string(rule.file), "line": .int(Int64(rule.line)),
        ]
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
    /// One word: `failed`, `firing`, `pending`, `no_data`, `inactive`, or `unknown` before the first evaluation.
    var stateName: String {
        if failure != nil { return "failed" }
        if standings.values.contains(where: { $0.phase == .firing }) { return "firing" }
        if !standings.isEmpty { return "pending" }
        if evaluated == nil { return "unknown" }
        return hasNoData ? "no_data" : "inactive"
    }
}
