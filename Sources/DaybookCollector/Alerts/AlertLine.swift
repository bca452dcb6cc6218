import DaybookBase

/// What is to be said to the operator of a change: it is kept with the change, and said once both are on the disk. A process
/// that ends in between says it at its next start.
struct AlertLine: Sendable, Equatable {
    var level: Level
    var message: String
    var attributes: Attributes

    var value: Value {
        ["level": .string(level.name), "message": .string(message), "attributes": .object(attributes)]
    }
}

extension AlertLine {
    /// `nil` for what is no line.
    init?(_ object: Attributes) {
        guard let level = object.text("level").flatMap({ Level(name: $0) }), let message = object.text("message"),
            case .object(let attributes)? = object["attributes"]
        else { return nil }
        self.init(level: level, message: message, attributes: attributes)
    }
}
