import DaybookAPI
import DaybookBase
import DaybookDefinitions

/// Alerts with their states, and what became of their messages.
package struct AlertsAnswer: Sendable {
    /// Messages of all alerts since the start, but those that wait.
    struct Notices: Sendable {
        var waiting = 0
        var delivered = 0
        var dropped = 0
        var merged = 0

        fileprivate static let form = Form<Notices>.object(
            "AlertNotices", .init("waiting", .number, \.waiting), .init("delivered", .number, \.delivered),
            .init("dropped", .number, \.dropped), .init("merged", .number, \.merged), make: Notices.init)
    }

    var alerts: [ShownAlert] = []
    /// `nil` if they would tell of alerts that are hidden.
    var notices: Notices? = Notices()

    fileprivate static let form = Form<AlertsAnswer>.object(
        "AlertList", .init("alerts", .list(ShownAlert.form), \.alerts),
        .init("notices", .optional(Notices.form), \.notices), make: AlertsAnswer.init)
}

/// An alert as an audience may see it.
struct ShownAlert: Sendable {
    enum State: String, CaseIterable, Sendable {
        case unknown, inactive, pending, firing
        case noData = "no_data"
        case failed
        /// It depends on private values.
        case hidden
    }

    struct Label: Sendable {
        var label: String?
        var standing: AlertMachine.Standing

        fileprivate static let form = Form<Label>.object(
            "AlertLabel", .init("label", .optional(.text), \.label),
            .init("state", .word.named("AlertState"), \.standing.phase), .init("since", .nanoseconds, \.standing.since),
            .init("value", .optional(.real), \.standing.value), .init("reason", .optional(.text), \.standing.reason),
            .init("held", .bool, about: "Whether nobody is told for now.", \.standing.isHeld)
        ) { label, phase, since, value, reason, isHeld in
            Label(
                label: label,
                standing: .init(
                    phase: phase, since: since, value: value, reason: reason, targets: nil, isHeld: isHeld))
        }
    }

    struct Delivery: Sendable {
        var target: String
        var tried: Int64?
        var failure: String?
        var failures: Int
        var waiting: Int
        var nextTry: Int64?

        fileprivate static let form = Form<Delivery>.object(
            "AlertDelivery", .init("target", .text, \.target), .init("tried", .optional(.nanoseconds), \.tried),
            .init("failure", .optional(.text), \.failure), .init("failures", .number, \.failures),
            .init("waiting", .number, \.waiting), .init("next_try", .optional(.nanoseconds), \.nextTry),
            make: Delivery.init)
    }

    var name: String
    var state: State
    var prose: String
    var sql: String?
    var checklist: String?
    var condition: String
    var every: String
    var targets: [String]
    var evaluated: Int64?
    var failure: String?
    var remarks: [String]
    var labels: [Label]
    var deliveries: [Delivery]
    var mute: AlertMute?
    var quiet: [String]
    var file: String
    var line: Int

    fileprivate static let form = Form<ShownAlert>.object(
        "Alert", .init("name", .text, \.name), .init("state", .word.named("AlertState"), \.state),
        .init("description", .text, \.prose),
        .init("sql", .optional(.text), about: "null for an alert that watches a checklist instead.", \.sql),
        .init("checklist", .optional(.text), \.checklist), .init("condition", .text, \.condition),
        .init("every", .text, \.every), .init("targets", .list(.text), \.targets),
        .init("evaluated", .optional(.nanoseconds), \.evaluated), .init("failure", .optional(.text), \.failure),
        .init("left_out", .list(.text), about: "What the last evaluation did not judge.", \.remarks),
        .init("labels", .list(Label.form), \.labels), .init("deliveries", .list(Delivery.form), \.deliveries),
        .init("mute", .optional(AlertMute.form), \.mute),
        .init("quiet", .list(.text), about: "As they stand in the file.", \.quiet), .init("file", .text, \.file),
        .init("line", .number, \.line), make: ShownAlert.init)
}

extension AlertMute {
    fileprivate static let form = Form<AlertMute>.object(
        "AlertMute", .init("since", .nanoseconds, \.since), .init("until", .nanoseconds, \.until),
        .init("by", .text, \.by), make: AlertMute.init)
}

/// An alert's history, newest first.
struct AlertEvents: Sendable {
    var events: [AlertHistory.Event]

    fileprivate static let form = Form<AlertEvents>.object(
        "AlertEvents", .init("events", .list(AlertHistory.Event.form), \.events), make: AlertEvents.init)
}

extension AlertHistory.Event {
    fileprivate static let form = Form<AlertHistory.Event>.object(
        "AlertEvent", .init("kind", .word, \.kind), .init("time", .nanoseconds, \.time),
        .init("count", .number, \.count), .init(ifAny: "since", .nanoseconds, \.since),
        .init(ifAny: "label", .text, \.label), .init(ifAny: "value", .real, \.value),
        .init(ifAny: "reason", .text, \.reason), .init(ifAny: "target", .text, \.target),
        .init(ifAny: "by", .text, \.by), .init(ifAny: "until", .nanoseconds, \.until)
    ) { kind, time, count, since, label, value, reason, target, by, until in
        AlertHistory.Event(
            kind: kind, time: time, since: since, label: label, value: value, reason: reason, target: target,
            count: count, by: by, until: until)
    }
}

/// A file with an alert that was written.
struct WrittenAlert: Sendable {
    var file: String
    var version: String
    /// Of the statement.
    var warnings: [StatementWarning]

    fileprivate static let form = Form<WrittenAlert>.object(
        "WrittenAlert", .init("file", .text, \.file), .init("version", .text, \.version),
        .init("warnings", .list(StatementWarning.form), \.warnings), make: WrittenAlert.init)
}

/// A file whose alert was removed.
struct RemovedAlert: Sendable {
    var file: String

    fileprivate static let form = Form<RemovedAlert>.object(
        "RemovedAlert", .init("file", .text, \.file), make: RemovedAlert.init)
}

extension Endpoints {
    package static let alerts = Endpoint("GET", "alerts", AlertsAnswer.form)
    package static let alertMute = Endpoint("POST", "alerts/mute", AlertsAnswer.form)
    static let alertHistory = Endpoint("GET", "alerts/history", parameters: ["alert"], AlertEvents.form)
    static let alertFile = Endpoint("POST", "alerts", WrittenAlert.form)
    static let alertFileUndo = Endpoint("POST", "alerts/undo", RemovedAlert.form)
}

extension PageTypes {
    /// Of alerts.
    package static let ofAlerts =
        Endpoints.alerts.form.declarations + Endpoints.alertHistory.form.declarations
        + Endpoints.alertFile.form.declarations + Endpoints.alertFileUndo.form.declarations
}
