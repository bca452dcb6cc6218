import DaybookBase

/// The recent events of one alert, oldest first.
struct AlertHistory: Sendable, Equatable {
    struct Event: Sendable, Equatable {
        enum Kind: String, CaseIterable, Sendable {
            case fired
            /// Fires while muted or in quiet hours, so nobody was notified.
            case held
            case resolved
            case delivered
            /// One or more rejections in a row.
            case refused
            /// A message was given up.
            case dropped
            case muted
            case unmuted
        }

        var kind: Kind
        /// Nanoseconds since 1970; of repeated events, the last time.
        var time: Int64
        /// When it began to fire; of firing and resolved events.
        var since: Int64?
        var label: String?
        var value: Double?
        var reason: String?
        /// Unresolved, as in the file; of messages.
        var target: String?
        /// How many times in a row.
        var count = 1
        /// Who muted it, and until when.
        var by: String?
        var until: Int64?
    }

    private static let most = 100

    private(set) var events: [Event] = []

    /// Adds an event. Consecutive refusals by one target become one event with a count.
    mutating func note(_ event: Event) {
        if event.kind == .refused,
            let index = events.lastIndex(where: { $0.target == event.target }), events[index].kind == .refused
        {
            var event = event
            event.count += events.remove(at: index).count
            events.append(event)
            return
        }
        events.append(event)
        if events.count > Self.most { events.removeFirst(events.count - Self.most) }
    }
}

/// Suppresses an alert's notices until a time or until it is unmuted.
struct AlertMute: Sendable, Equatable {
    /// Nanoseconds since 1970.
    var since: Int64
    var until: Int64
    var by: String

    /// The longest mute, in seconds: people forget longer ones.
    static let longest: Int64 = 30 * 86_400
}

/// The outcome of an alert's last message to one target.
struct AlertDelivery: Sendable, Equatable {
    /// Nanoseconds since 1970.
    var tried: Int64
    /// Why the target rejected it; `nil` if accepted.
    var failure: String?
    var failures = 0
}

// MARK: - As JSON

extension AlertHistory {
    var value: Value { .array(events.map { .object($0.members) }) }

    /// - Parameter shown: replaces each event's label and reason; `nil` keeps them.
    /// - Returns: `nil` for invalid history.
    init?(_ objects: [Attributes], _ shown: ((Event) -> (label: String?, reason: String?))?) {
        for object in objects {
            guard var event = Event(object) else { return nil }
            if let shown { (event.label, event.reason) = shown(event) }
            events.append(event)
        }
    }
}

extension AlertHistory.Event {
    /// As stored; times in nanoseconds.
    var members: Attributes {
        var members: Attributes = ["kind": .string(kind.rawValue), "time": .int(time), "count": .int(Int64(count))]
        members["since"] = since.map { .int($0) }
        members["label"] = label.map { .string($0) }
        members["value"] = value.map { .double($0) }
        members["reason"] = reason.map { .string($0) }
        members["target"] = target.map { .string($0) }
        members["by"] = by.map { .string($0) }
        members["until"] = until.map { .int($0) }
        return members
    }

    fileprivate init?(_ object: Attributes) {
        guard let kind = object.text("kind").flatMap(Kind.init), let time = object.integer("time") else { return nil }
        self.init(
            kind: kind, time: time, since: object.integer("since"), label: object.text("label"),
            value: object.number("value"), reason: object.text("reason"), target: object.text("target"),
            count: object.integer("count").map { Int(clamping: $0) } ?? 1, by: object.text("by"),
            until: object.integer("until"))
    }
}

extension Attributes {
    func objects(_ key: String) -> [Attributes] {
        guard case .array(let values)? = self[key] else { return [] }
        return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }

    /// `nil` if the member is not an array.
    func texts(_ key: String) -> [String]? {
        guard case .array(let values)? = self[key] else { return nil }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    func text(_ key: String) -> String? { self[key]?.text }

    func integer(_ key: String) -> Int64? {
        if case .int(let integer)? = self[key] { integer } else { nil }
    }

    func number(_ key: String) -> Double? {
        switch self[key] {
        case .int(let integer)?: Double(integer)
        case .double(let double)?: double
        default: nil
        }
    }
}
