import DaybookBase
import DaybookHTTP
import DaybookStore

/// Answers `/api/v1/alerts` and what lies below; docs/json-api.md says with what. The token is asked for around it. Safe to
/// share between threads.
package struct AlertsHandler: HTTPHandler {
    private static let bodyLimit = 4_096
    private let runner: AlertRunner?
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - runner: `nil` where no alerts are configured; the answer is then an empty list.
    ///   - now: nanoseconds since 1970. Default: the system's clock.
    package init(_ runner: AlertRunner?, now: @escaping @Sendable () -> Int64 = PipelineClock.system.wall) {
        (self.runner, self.now) = (runner, now)
    }

    package func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        .accept(bodyLimit: head.method == "POST" ? Self.bodyLimit : 0)
    }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch (request.head.method, request.head.path) {
        case ("POST", _): return await mute(request.body)
        case (_, "/api/v1/alerts/history"):
            let name = request.head.query.first { $0.name == "alert" }?.value ?? ""
            guard let events = await runner?.events(of: name) else { return Self.unknown(name) }
            return Self.success(["events": events])
        default:
            return Self.success(
                await runner?.summary ?? [
                    "alerts": .array([]), "notices": ["waiting": 0, "delivered": 0, "dropped": 0],
                ])
        }
    }

    private func mute(_ body: [UInt8]) async -> HTTPResponse {
        guard case .object(let object)? = try? JSONReader.value(of: body), let alert = object.text("alert"),
            let by = object.text("by"), (1...200).contains(by.utf8.count),
            let text = object.text("for"),
            let seconds = DurationText.seconds(text[...], units: [.second, .minute, .hour, .day]),
            (0...AlertMute.longest).contains(seconds)
        else {
            return .problem(
                400, code: "bad_request",
                "Send {\"alert\": name, \"for\": \"2h\", \"by\": who}; `for` is at most 30d, and 0s ends a mute.")
        }
        guard await runner?.mute(alert, for: seconds, by: by, at: now()) == true else { return Self.unknown(alert) }
        return Self.success(await runner?.summary ?? [:])
    }

    private static func unknown(_ name: String) -> HTTPResponse {
        .problem(404, code: "not_found", "There is no alert `\(name)`.")
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
    /// How every alert stands, as the API tells it.
    var summary: Attributes {
        [
            "alerts": .array(rules.map { .object(summary(of: $0)) }),
            "notices": [
                "waiting": .int(Int64(state.outgoing.count)), "delivered": .int(Int64(counts.delivered)),
                "dropped": .int(Int64(counts.dropped)),
            ],
        ]
    }

    /// What has happened to an alert, the newest first; `nil` for one that is not there.
    func events(of name: String) -> Value? {
        guard rules.contains(where: { $0.name == name }) else { return nil }
        return .array(
            (state.histories[name]?.events ?? []).reversed().map { event in
                var event = event
                event.label = event.label.map { masking.masked(reason: $0) }
                event.reason = event.reason.map { masking.masked(reason: $0) }
                // Nanoseconds are more than a script's numbers hold.
                var members = event.members
                for name in ["time", "since", "until"] {
                    if case .int(let time)? = members[name] { members[name] = .string(String(time)) }
                }
                return .object(members)
            })
    }

    private func deliveries(of rule: AlertRule) -> Value {
        let waiting = state.outgoing.filter { $0.notice.alert == rule.name }
        let targets = Set(rule.targets + waiting.map(\.target))
        return .array(
            targets.sorted().map { target in
                let delivery = state.deliveries[rule.name]?[target]
                let next = waiting.first { $0.target == target }
                let failure = AlertTarget.problem(of: target, environment: environment)?.message ?? delivery?.failure
                return .object([
                    "target": .string(target), "tried": delivery.map { .string(String($0.tried)) } ?? .null,
                    "failure": failure.map { .string($0) } ?? .null,
                    "failures": .int(Int64(delivery?.failures ?? 0)),
                    "waiting": .int(Int64(waiting.count { $0.target == target })),
                    "next_try": next.map { .string(String($0.nextTry)) } ?? .null,
                ])
            })
    }

    private func summary(of rule: AlertRule) -> Attributes {
        let machine = state.machines[rule.name] ?? AlertMachine()
        let labels = machine.standings.sorted { $0.key < $1.key }.map { label, standing in
            Value.object([
                "label": label.isEmpty ? .null : .string(masking.masked(reason: label)),
                "state": .string(standing.phase.rawValue),
                "since": .string(String(standing.since)), "value": standing.value.map { .double($0) } ?? .null,
                "reason": standing.reason.map { .string(masking.masked(reason: $0)) } ?? .null,
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
            "name": .string(rule.name), "state": .string(machine.stateName), "description": .string(rule.prose),
            "sql": sql, "checklist": checklist, "condition": .string(rule.conditionText),
            "every": .string(DurationText.text(rule.every)),
            "targets": .array(rule.targets.map { .string($0) }),
            "evaluated": machine.evaluated.map { .string(String($0)) } ?? .null,
            "failure": machine.failure.map { .string($0) } ?? .null, "labels": .array(labels),
            "deliveries": deliveries(of: rule), "mute": mute ?? .null,
            "quiet": .array(rule.quiet.map { .string($0.text) }),
            "file": .string(rule.file), "line": .int(Int64(rule.line)),
        ]
    }

    /// Adds the alerts' counts.
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
            "daybook_alert_notices_waiting", .gauge, "Messages not yet accepted by their target.", state.outgoing.count)
        text.add(
            "daybook_alert_notices_delivered_total", .counter, "Messages accepted by their target.", counts.delivered)
        text.add("daybook_alert_notices_dropped_total", .counter, "Messages given up.", counts.dropped)
    }
}

extension AlertMachine {
    /// In one word: `failed`, `firing`, `pending`, `no_data`, `inactive`, or `unknown` before the first evaluation.
    var stateName: String {
        if failure != nil { return "failed" }
        if standings.values.contains(where: { $0.phase == .firing }) { return "firing" }
        if !standings.isEmpty { return "pending" }
        if evaluated == nil { return "unknown" }
        return hasNoData ? "no_data" : "inactive"
    }
}
