import DaybookBase
import DaybookStore
import DaybookTools

/// Who each record of a slice belongs to, where people are counted.
struct PersonCodes {
    private let keys: PersonKeys
    private let sight: FoldSight
    /// Who is counted now.
    private let part: PeopleParts

    private var people: PersonTable
    private(set) var versions: DividingVersions
    /// The version's number of each person.
    private(set) var versionsOfPeople: [Int32] = []

    init(_ insight: Insight, _ part: PeopleParts, most: Int, _ sight: FoldSight) {
        (self.sight, self.part) = (sight, part)
        (keys, versions) = (PersonKeys(insight), DividingVersions(insight, sight))
        people = PersonTable(most: most)
    }

    var isFull: Bool { people.isFull }
    /// How many have been met.
    var count: Int { versionsOfPeople.count }

    /// Adds a person who is the same as another one.
    mutating func addAlias(of person: Int) { versionsOfPeople.append(versionsOfPeople[person]) }

    /// The columns that say who it is.
    var keyed: Set<ColumnName> { keys.columns }

    var valued: Set<ColumnName> { versions.columns }

    /// For each found record the number of its person; -1 for one who does not count.
    mutating func people(of found: StepFlags.Found, in slice: ColumnSlice, _ key: HashKey) -> [Int32] {
        let keys = keys.columns(of: slice, key)
        guard !keys.isEmpty else { return Array(repeating: -1, count: found.places.count) }
        let (versionCodes, versionNumbers) = versions.numbers(in: slice)
        let width = versionNumbers.count
        // -2: not yet looked up. Pairs of very many people and versions are looked up each time.
        let pairs = keys.count * width
        var known = [Int32](repeating: -2, count: pairs <= sight.bounds.pairs ? pairs : 0)
        return found.places.map { place in
            let place = Int(place)
            let value = keys.value(at: place)
            guard value >= 0 else { return -1 }
            let version = versionCodes.map { Int($0[place]) } ?? 0
            guard !known.isEmpty else { return number(of: keys.keys[value], version: versionNumbers[version]) }
            let index = value * width + version
            if known[index] == -2 { known[index] = number(of: keys.keys[value], version: versionNumbers[version]) }
            return known[index]
        }
    }

    /// - Parameter version: -1 for one that does not count.
    private mutating func number(of key: UInt64, version: Int) -> Int32 {
        guard version >= 0 else { return -1 }
        let pair = PersonTable.pair(key, version)
        guard part.contains(pair) else { return -1 }
        guard let number = people.number(of: pair) else { return -1 }
        if number >= versionsOfPeople.count { versionsOfPeople.append(Int32(version)) }
        return Int32(number)
    }
}

/// Who a record belongs to, by a key.
struct PersonKeys {
    /// The keys of a slice.
    struct Columns {
        /// Those of the context's column behind those of the record's own.
        fileprivate(set) var keys: [UInt64] = []
        fileprivate var own: [UInt16] = []
        fileprivate var common: [UInt16] = []
        fileprivate var ownCount = 0

        var isEmpty: Bool { keys.isEmpty }
        var count: Int { keys.count }

        /// The place of a record's key; -1 for one that belongs to nobody.
        func value(at place: Int) -> Int {
            if !own.isEmpty, own[place] != 0 { return Int(own[place]) - 1 }
            if !common.isEmpty, common[place] != 0 { return ownCount + Int(common[place]) - 1 }
            return -1
        }
    }

    private let names: [ColumnName]

    init(_ insight: Insight) {
        names =
            switch insight.joining {
            case .session: [.field(.session)]
            case .installation: [.field(.installation)]
            case .column(let name): FacetQuery.Field.attribute(name).columns
            }
    }

    var columns: Set<ColumnName> { Set(names) }

    func columns(of slice: ColumnSlice, _ key: HashKey) -> Columns {
        var columns = Columns()
        if let own = slice[names[0]] {
            (columns.own, columns.keys, columns.ownCount) = (own.codes, own.keys(key), own.count)
        }
        if names.count > 1, let common = slice[names[1]] {
            columns.common = common.codes
            columns.keys += common.keys(key)
        }
        return columns
    }
}
