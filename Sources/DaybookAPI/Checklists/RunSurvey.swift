import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools

/// What counts of a run's records whether or not an item judges them, read from columns: whose they are, their tags,
/// and one record of each kind that may contradict the persona.
struct RunSurvey: Sendable {
    /// Most ``samples``.
    private static let mostSamples = 2_000

    /// Each tag with the number of its first record, in order of arrival.
    private(set) var tags: [(name: String, number: Int64)] = []
    private(set) var seen = JudgedRun.Seen()
    /// The first record of each kind that ``ChecklistRun/comparedCommonColumns`` tells apart, or of several, by number.
    private(set) var samples: [Int64] = []
    private var known: Set<ExactText> = []

    /// Surveys the records that a query selects.
    /// - Returns: `nil` if only the records themselves can tell, or the store has no columns.
    static func of(
        _ query: RecordQuery, in store: any EventStore, scope: RunScope, comparing personaColumns: [String],
        masking: MaskingPolicy
    ) async throws -> RunSurvey? {
        guard let columnar = store.columnar,
            let reading = SurveyReading(query, scope: scope, personaColumns: personaColumns, masking: masking)
        else { return nil }
        return try await columnar.fold { source throws(StoreError) in
            var survey: RunSurvey? = RunSurvey()
            try source.forEach(reading.request) { slice throws(StoreError) in
                if survey?.add(slice, reading) != true { survey = nil }
                return survey != nil
            }
            return survey
        }
    }

    /// Adds a slice's records. Returns whether columns can tell all of it.
    private mutating func add(_ slice: ColumnSlice, _ reading: SurveyReading) -> Bool {
        guard reading.canTell(slice) else { return false }
        guard let column = slice[.field(.tag)] else { return true }
        let matches = reading.filter.matches(in: slice, nil).bytes(slice.count)
        var names = [String?](repeating: nil, count: column.count + 1)
        var isOwn = [Bool](repeating: false, count: column.count + 1)
        var texts = SurveyReading.texts.map { FirstTexts($0, of: slice) }
        var kinds = FirstKinds(reading, of: slice)
        for (place, number) in slice.numbers.enumerated()
        where matches[place] != 0 && reading.numbers.contains(number) {
            let code = Int(column.codes[place])
            if names[code] == nil {
                let name = code == 0 ? "" : column.text(code) ?? ""
                (names[code], isOwn[code]) = (name, OwnRecords.have(name))
                if known.insert(ExactText(name)).inserted { tags.append((name, number)) }
            }
            guard !isOwn[code] else { continue }
            seen.add(number)
            for index in texts.indices {
                guard let text = texts[index].text(at: place) else { continue }
                JudgedRun.Seen.add(text, to: &seen[keyPath: SurveyReading.lists[index]])
            }
            if kinds.isFirst(at: place) { samples.append(number) }
        }
        return tags.count <= ChecklistRun.mostTags && samples.count <= Self.mostSamples
    }
}

/// What a survey reads, and how.
private struct SurveyReading: Sendable {
    /// In the order of ``lists``; of several columns, the first one that has a text counts.
    static let texts: [[ColumnName]] = [
        [.field(.session)], [.field(.installation)], [ContextFields.versionColumn], ContextFields.deviceColumns,
    ]
    static let lists: [WritableKeyPath<JudgedRun.Seen, [String]> & Sendable] = [
        \.sessions, \.installations, \.versions, \.devices,
    ]

    let filter: ColumnFilter
    let numbers: Range<Int64>
    let request: ColumnRequest
    let personaColumns: [String]
    let masking: MaskingPolicy
    /// Members that a scope compares instead of the record's fields.
    private let members: [ColumnName]
    private let hasVersion: Bool

    /// `nil` for a query that asks for what is in no column.
    init?(_ query: RecordQuery, scope: RunScope, personaColumns: [String], masking: MaskingPolicy) {
        // Records may spell another name differently, which columns tell apart.
        guard personaColumns.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }),
            let filter = ColumnFilter(query.filter.narrowed(by: .not(.field(.kind, Kind.run.rawValue))))
        else { return nil }
        (self.filter, self.personaColumns, self.masking) = (filter, personaColumns, masking)
        let lower = (query.after ?? 0) + 1
        numbers = lower..<max(lower, query.before ?? .max)
        let fields = [("_installation", scope.installation), ("_session", scope.session)]
        members = fields.filter { $0.1 != nil }.flatMap { [.own(ExactText($0.0)), .common(ExactText($0.0))] }
        hasVersion = scope.version != nil
        var valued = filter.columns.union(Self.texts.joined()).union(members)
        valued.insert(.field(.tag))
        if !personaColumns.isEmpty {
            valued.formUnion(personaColumns.flatMap { [.own(ExactText($0)), .common(ExactText($0))] })
            valued.formUnion(RecordClasses.columns(masking))
        }
        request = ColumnRequest(valued: valued, numbers: numbers)
    }

    /// Whether a scope compares what the filter compares.
    func canTell(_ slice: ColumnSlice) -> Bool {
        guard members.allSatisfy({ slice[$0] == nil }) else { return false }
        guard hasVersion, let versions = slice[ContextFields.versionColumn] else { return true }
        return (0..<versions.count).allSatisfy { number in
            if case .string? = versions.value(number + 1) { true } else { false }
        }
    }
}

/// The texts of a field in a slice, each at its first record.
private struct FirstTexts {
    /// At most two.
    private let columns: [SliceColumn]
    private var known: Set<UInt32> = []
    private var last: UInt32?

    init(_ names: [ColumnName], of slice: ColumnSlice) { columns = names.compactMap { slice[$0] } }

    mutating func text(at place: Int) -> String? {
        let codes = columns.reduce(UInt32(0)) { $0 << 16 | UInt32($1.codes[place]) }
        guard codes != last else { return nil }
        last = codes
        guard known.insert(codes).inserted else { return nil }
        return columns.lazy.compactMap { column in
            let code = Int(column.codes[place])
            return code == 0 ? nil : column.value(code)?.plainText
        }.first
    }
}

/// The records of a slice that may contradict the persona: the first of each kind.
private struct FirstKinds {
    private let common: [SeenColumn]
    private let own: [SeenColumn]
    private var known: Set<[UInt16]> = []

    init(_ reading: SurveyReading, of slice: ColumnSlice) {
        guard !reading.personaColumns.isEmpty else {
            (common, own) = ([], [])
            return
        }
        let classes = RecordClasses(reading.masking, slice)
        common = reading.personaColumns.compactMap { SeenColumn(.common(ExactText($0)), of: slice, classes) }
        own = reading.personaColumns.compactMap { SeenColumn(.own(ExactText($0)), of: slice, classes) }
    }

    mutating func isFirst(at place: Int) -> Bool {
        guard common.contains(where: { $0.codes[place] != 0 }) else { return false }
        return known.insert((common + own).map { $0.codes[place] }).inserted
    }
}
