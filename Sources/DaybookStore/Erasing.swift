import DaybookBase
import DaybookTools

extension RecordFilter {
    /// - Throws: ``StoreError``, `badStatement` for a filter that selects everything, which is probably a mistake.
    package func checkForErasing() throws(StoreError) {
        guard selectsAll else { return }
        throw StoreError(.badStatement, "Erasing needs a condition. To erase everything, delete the store.")
    }

    /// For a request by a person or program: a condition must name what to erase. One that only excludes (`x!=y`), or a
    /// range of all plausible times, is probably a mistake.
    /// - Parameter now: Nanoseconds since 1970.
    /// - Throws: ``StoreError``, `badStatement`.
    package func checkForErasing(at now: Int64) throws(StoreError) {
        let plausible = PlausibleTime.range(at: now)
        // A relative time may have been resolved shortly before `now`.
        let times = plausible.lowerBound..<plausible.upperBound - 60_000_000_000
        let saysWhatGoes = expression.conjuncts.contains { $0.names(times) && !$0.holdsAlways }
        guard !saysWhatGoes, predicate == nil, receivedBefore ?? .max >= times.upperBound else { return }
        throw StoreError(
            .badStatement,
            "Erasing needs a condition that says what goes, such as filter=user_id=42 or an installation; what says only what "
                + "stays, or leaves nothing out, is none. To erase everything, delete the store.")
    }

    /// Whether the filter has no condition, or only conditions that always hold.
    package var selectsAll: Bool {
        expression.holdsAlways && predicate == nil && receivedBefore ?? .max == .max
    }

    /// The installation, if it is the only condition: then all that names it must go too.
    package var onlyInstallation: String? {
        guard case .term(.field(.installation, .text(let id))) = expression, predicate == nil, receivedBefore == nil
        else { return nil }
        return id
    }
}

extension FilterExpression {
    /// Whether it says which records match, not only which do not.
    fileprivate func names(_ times: Range<Int64>, isNegated: Bool = false) -> Bool {
        switch self {
        case .not(let part): part.names(times, isNegated: !isNegated)
        case .all(let parts): Self.names(parts, times, isNegated, areAlternatives: isNegated)
        case .any(let parts): Self.names(parts, times, isNegated, areAlternatives: !isNegated)
        case .term(.since(let time)): isNegated ? time < times.upperBound : time > times.lowerBound
        case .term(.until(let time)): isNegated ? time > times.lowerBound : time < times.upperBound
        case .term(.level(let range)): range.lowerBound > 0 || range.upperBound < 24
        case .term(.field(_, .pattern(let pattern))):
            !isNegated && pattern.parts.contains { !$0.allSatisfy(".".contains) }
        case .term: !isNegated
        }
    }

    private static func names(
        _ parts: [FilterExpression], _ times: Range<Int64>, _ isNegated: Bool, areAlternatives: Bool
    ) -> Bool {
        areAlternatives
            ? parts.allSatisfy { $0.names(times, isNegated: isNegated) }
            : parts.contains { $0.names(times, isNegated: isNegated) }
    }

    /// Whether it provably matches every record.
    fileprivate var holdsAlways: Bool {
        switch self {
        case .term(let term): term.holdsAlways
        case .not(let part): part.holdsNever
        case .all(let parts): parts.allSatisfy(\.holdsAlways)
        case .any(let parts): parts.contains { $0.holdsAlways || parts.contains(.not($0)) } || Self.cover(parts)
        }
    }

    /// Whether it provably matches no record.
    private var holdsNever: Bool {
        switch self {
        case .term: false
        case .not(let part): part.holdsAlways
        case .all(let parts): parts.contains { $0.holdsNever || parts.contains(.not($0)) }
        case .any(let parts): parts.allSatisfy(\.holdsNever)
        }
    }

    /// Whether the parts cover every level, every time or every kind.
    private static func cover(_ parts: [FilterExpression]) -> Bool {
        var levels = Set(0...24)
        var kinds = Set(Kind.allCases.map(\.rawValue))
        var (since, until) = (Int64.max, Int64.min)
        for case .term(let term) in parts {
            switch term {
            case .level(let range): levels = levels.filter { !range.contains($0) }
            case .since(let time): since = min(since, time)
            case .until(let time): until = max(until, time)
            case .field(.kind, .text(let kind)): kinds.remove(kind)
            default: break
            }
        }
        return levels.isEmpty || kinds.isEmpty || since <= until
    }
}

extension FilterTerm {
    fileprivate var holdsAlways: Bool {
        switch self {
        case .level(let range): range.lowerBound <= 0 && range.upperBound >= 24
        case .since(let time): time == .min
        case .until(let time): time == .max
        case .field(.tag, .pattern(let pattern)), .field(.name, .pattern(let pattern)),
            .field(.uid, .pattern(let pattern)):
            // In a tag pattern, a single `*` is one term only.
            pattern.parts.allSatisfy(\.isEmpty) && (pattern.tagPattern == nil || pattern.parts.count > 2)
        default: false
        }
    }
}

extension EventStore {
    /// Deletes matching records, oldest first, page by page, so that appends run in between.
    /// - Parameter delete: Deletes records by arrival number; returns how many existed.
    /// - Throws: ``StoreError``; earlier pages stay deleted.
    package func erasePages(
        of filter: RecordFilter, pageSize: Int, delete: (_ ids: [Int64]) async throws -> Int64
    ) async throws -> Int64 {
        var query = RecordQuery()
        query.filter = filter
        query.order = .oldestFirst
        query.limit = pageSize
        var erased: Int64 = 0
        while true {
            let slice = try await slice(query)
            if !slice.records.isEmpty { erased += try await delete(slice.records.map(\.id)) }
            guard let next = slice.next else { return erased }
            query = query.resumed(at: next)
        }
    }
}
