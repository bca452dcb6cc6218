import DaybookBase

/// What has happened to one alert, the newest last; as much as is kept.
struct AlertHistory: Sendable, Equatable {
    /// One thing that happened.
    struct Event: Sendable, Equatable {
        enum Kind: String, Sendable {
            case fired
            /// It fires, and nobody is told for now: it is muted, or the hours are quiet.
            case held
            case resolved
            /// A target took a message.
            case delivered
            /// A target did not take a message, once or more times in a row.
            case refused
            /// A message was given up.
            case dropped
            case muted
            case unmuted
        }

        var kind: Kind
        /// Nanoseconds since 1970; the last time for what happened more than once in a row.
        var time: Int64
        /// Since when it fired; of what fires and ends.
        var since: Int64?
        var label: String?
        var value: Double?
        var reason: String?
        /// As it is written; of messages.
        var target: String?
        /// How often in a row.
        var count = 1
        /// Who muted it, and until when.
        var by: String?
        var until: Int64?
    }

    private static let most = 100

    private(set) var events: [Event] = []

    /// Adds an event; one refusal after another by a target is one.
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

/// Nobody is told that an alert fires, until a time or an end.
struct AlertMute: Sendable, Equatable {
    /// Nanoseconds since 1970.
    var since: Int64
    var until: Int64
    var by: String

    /// The longest that an alert can be muted at once, in seconds: what is muted for longer is forgotten.
    static let longest: Int64 = 30 * 86_400
}

/// What became of the last message of an alert to one of its targets.
struct AlertDelivery: Sendable, Equatable {
    /// Nanoseconds since 1970.
    var tried: Int64
    /// Why it was not taken; `nil` where it was.
    var failure: String?
    /// Times in a row that it was not.
    var failures = 0
}

// MARK: - As JSON

extension AlertHistory {
    var value: Value { .array(events.map { .object($0.members) }) }

    /// - Parameter shown: the label and the reason that are kept of an event; `nil` for its own.
    /// - Returns: `nil` for what is no history.
    init?(_ objects: [Attributes], _ shown: ((Event) -> (label: String?, reason: String?))?) {
        for object in objects {
            guard var event = Event(object) else { return nil }
            if let shown { (event.label, event.reason) = shown(event) }
            events.append(event)
        }
    }
}

extension AlertHistory.Event {
    /// As it is kept, and told: times in nanoseconds.
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

    /// `nil` where there is no array.
    func texts(_ key: String) -> [String]? {
        guard case .array(let values)? = self[key] else { return nil }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    func text(_ key: String) -> String? {
        if case .string(let text)? = self[key] { text } else { nil }
    }

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
