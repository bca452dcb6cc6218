import DaybookBase

extension Attributes {
    /// The names that are given more than once, in order; those within values are not meant.
    package var repeatedNames: [String] {
        guard elements.count > 1 else { return [] }
        var seen: Set<String> = []
        return elements.filter { !seen.insert($0.key).inserted }.map(\.key)
    }

    /// With the last value of each name, where it stands.
    package var lastOfEach: Attributes {
        guard !repeatedNames.isEmpty else { return self }
        var seen: Set<String> = []
        var result = Attributes()
        result.elements = elements.reversed().filter { seen.insert($0.key).inserted }.reversed()
        return result
    }
}

extension Value {
    /// The names that an object gives more than once, at any depth.
    package var repeatedNames: [String] {
        switch self {
        case .object(let object): object.repeatedNames + object.elements.flatMap(\.value.repeatedNames)
        case .array(let elements): elements.flatMap(\.repeatedNames)
        default: []
        }
    }
}
