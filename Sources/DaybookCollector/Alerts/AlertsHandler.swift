import DaybookBase
import DaybookHTTP
import DaybookStore

/// Answers `GET /api/v1/alerts`; docs/json-api.md says with what. The token is asked for around it. Safe to share between
/// threads.
package struct AlertsHandler: HTTPHandler {
    private let runner: AlertRunner?

    /// - Parameter runner: `nil` where no alerts are configured; the answer is then an empty list.
    package init(_ runner: AlertRunner?) {
        self.runner = runner
    }

    package func admit(_ head: HTTPRequest.Head) -> HTTPAdmission { .accept(bodyLimit: 0) }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        let data =
            await runner?.summary ?? ["alerts": .array([]), "notices": ["waiting": 0, "delivered": 0, "dropped": 0]]
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

    private func summary(of rule: AlertRule) -> Attributes {
        let machine = state.machines[rule.name] ?? AlertMachine()
        let labels = machine.standings.sorted { $0.key < $1.key }.map { label, standing in
            Value.object([
                "label": label.isEmpty ? .null : .string(masking.masked(reason: label)),
                "state": .string(standing.phase.rawValue),
                "since": .string(String(standing.since)), "value": standing.value.map { .double($0) } ?? .null,
                "reason": standing.reason.map { .string(masking.masked(reason: $0)) } ?? .null,
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
            "daybook_alert_notices_waiting", .gauge, "Notices not yet taken by their target.", state.outgoing.count)
        text.add("daybook_alert_notices_delivered_total", .counter, "Notices taken by their target.", counts.delivered)
        text.add("daybook_alert_notices_dropped_total", .counter, "Notices given up.", counts.dropped)
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
