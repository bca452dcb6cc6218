import DaybookBase

extension Attributes {
    /// Repeated names, in order; not those within values.
    package var repeatedNames: [String] {
        guard elements.count > 1 else { return [] }
        var seen: Set<String> = []
        return elements.filter { !seen.insert($0.key).inserted }.map(\.key)
    }

    /// Keeps the last value of each name, in its position.
    package var lastOfEach: Attributes {
        guard !repeatedNames.isEmpty else { return self }
        var seen: Set<String> = []
        var result = Attributes()
        result.elements = elements.reversed().filter { seen.insert($0.key).inserted }.reversed()
        return result
    }
}

extension Value {
    /// Names repeated within objects at any depth.
    package var repeatedNames: [String] {
        switch self {
        case .object(let object): object.repeatedNames + object.elements.flatMap(\.value.repeatedNames)
        case .array(let elements): elements.flatMap(\.repeatedNames)
        default: []
        }
    }
}
