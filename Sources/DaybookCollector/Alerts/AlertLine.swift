import DaybookBase

/// A log line about a state change, saved with the change. It is logged once both are on disk, at the latest by the
/// next start.
struct AlertLine: Sendable, Equatable {
    var level: Level
    var message: String
    var attributes: Attributes

    var value: Value {
        ["level": .string(level.name), "message": .string(message), "attributes": .object(attributes)]
    }
}

extension AlertLine {
    /// `nil` for an invalid line.
    init?(_ object: Attributes) {
        guard let level = object.text("level").flatMap({ Level(name: $0) }), let message = object.text("message"),
            case .object(let attributes)? = object["attributes"]
        else { return nil }
        self.init(level: level, message: message, attributes: attributes)
    }
}
