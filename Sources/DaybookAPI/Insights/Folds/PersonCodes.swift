import DaybookBase
import DaybookStore
import DaybookTools

/// Who each record of a slice belongs to, where people are counted.
struct PersonCodes {
    private let joining: Insight.JoinKey
    private let isByVersion: Bool
    private let onlyVersions: [String]
    private let sight: FoldSight
    /// Who is counted now.
    private let part: PeopleParts

    private var people: PersonTable
    private(set) var versions = TextNumbers()
    /// The version's number of each person.
    private(set) var versionsOfPeople: [Int32] = []

    private static let version = ColumnName.common("service.version")

    init(_ insight: Insight, _ part: PeopleParts, most: Int, _ sight: FoldSight) {
        self.sight = sight
        (joining, isByVersion, onlyVersions) = (insight.joining, insight.isByVersion, insight.versions)
        self.part = part
        people = PersonTable(most: most)
        if !isByVersion { _ = versions.number(of: "") }
    }

    var isFull: Bool { people.isFull }
    /// How many have been met.
    var count: Int { versionsOfPeople.count }

    /// Adds a person who is the same as another one.
    mutating func addAlias(of person: Int) { versionsOfPeople.append(versionsOfPeople[person]) }

    /// The columns that say who it is.
    var keyed: Set<ColumnName> { Set(names) }

    var valued: Set<ColumnName> { isByVersion ? [Self.version] : [] }

    private var names: [ColumnName] {
        switch joining {
        case .session: [.field(.session)]
        case .installation: [.field(.installation)]
        case .column(let name): [.own(ExactText(name)), .common(ExactText(name))]
        }
    }

    /// For each found record the number of its person; -1 for one who does not count.
    mutating func people(of found: StepFlags.Found, in slice: ColumnSlice, _ key: HashKey) -> [Int32] {
        // A value's place in `keys`, by its number; those of the second column behind those of the first.
        var (keys, columns): ([UInt64], [(codes: [UInt16], first: Int)]) = ([], [])
        for name in names {
            guard let column = slice[name] else { continue }
            columns.append((column.codes, keys.count - 1))
            keys += column.keys(key)
        }
        guard !columns.isEmpty else { return Array(repeating: -1, count: found.places.count) }
        let (versionCodes, versionNumbers) = versions(of: slice)
        let width = versionNumbers.count
        let (own, other) = (columns[0], columns.count > 1 ? columns[1] : nil)
        // -2: not yet looked up. Pairs of very many people and versions are looked up each time.
        var known = [Int32](repeating: -2, count: keys.count * width <= sight.bounds.pairs ? keys.count * width : 0)
        return found.places.map { place in
            let place = Int(place)
            let value: Int
            if own.codes[place] != 0 {
                value = own.first + Int(own.codes[place])
            } else if let other, other.codes[place] != 0 {
                value = other.first + Int(other.codes[place])
            } else {
                return -1
            }
            let version = versionCodes.map { Int($0[place]) } ?? 0
            guard !known.isEmpty else { return number(of: keys[value], version: versionNumbers[version]) }
            let index = value * width + version
            if known[index] == -2 { known[index] = number(of: keys[value], version: versionNumbers[version]) }
            return known[index]
        }
    }

    /// - Parameter version: -1 for one that does not count.
    private mutating func number(of key: UInt64, version: Int) -> Int32 {
        guard version >= 0 else { return -1 }
        // A bijection of the key for each version, so that no two pairs meet but by chance.
        let pair = key ^ UInt64(version) &* 0xD6E8_FEB8_6659_FD93
        guard part.contains(pair) else { return -1 }
        guard let number = people.number(of: pair) else { return -1 }
        if number >= versionsOfPeople.count { versionsOfPeople.append(Int32(version)) }
        return Int32(number)
    }

    /// Each record's version in a slice, and the versions' numbers.
    private mutating func versions(of slice: ColumnSlice) -> (codes: [UInt16]?, numbers: [Int]) {
        guard isByVersion else { return (nil, [0]) }
        let column = slice[Self.version]
        let texts = [""] + (0..<(column?.count ?? 0)).map { shown(column?.text($0 + 1) ?? "") }
        let numbers = texts.map { text in
            onlyVersions.isEmpty || onlyVersions.contains { $0.utf8.elementsEqual(text.utf8) }
                ? versions.number(of: text) : -1
        }
        return (column?.codes, numbers)
    }

    /// A version that is a credential is not shown.
    private func shown(_ version: String) -> String {
        guard case .string(let text)? = sight.masking?.masked(.string(version), named: "service.version") else {
            return version
        }
        return text
    }
}
