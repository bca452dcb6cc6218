import DaybookStore

/// Looks through the records that a filter wants, in the order of arrival, for as long as a budget lasts.
///
/// First the server is asked for everything at once, for a third of the budget: with an index at hand that is the whole
/// answer. Where it is too slow, one range of arrival numbers after the other is asked for.
struct ServerWalk<Reader: ServerReader> {
    /// Where records are judged in code, so many are fetched at once.
    private static var fetched: Int64 { 16_384 }

    let reader: Reader
    let filter: FilterSQL
    let isNewestFirst: Bool
    let budget: Duration

    /// - Throws: Also for a filter that is wrong.
    init(
        _ reader: Reader, _ filter: RecordFilter, isNewestFirst: Bool, budget: Duration
    ) throws(Reader.Failure) {
        self.reader = reader
        self.isNewestFirst = isNewestFirst
        self.budget = budget
        do {
            self.filter = try FilterSQL(Reader.stored(filter), reader.filterDialect)
        } catch {
            throw Reader.refusal(error.message)
        }
    }

    /// - Parameters:
    ///   - sql: makes the statement from the condition of a range.
    ///   - take: given an answer; returns the arrival number at which enough was found, or `nil`.
    /// - Returns: from where to go on, how far it came, and whether enough was found.
    func run(
        after: Int64?, before: Int64?, sql: (_ condition: String) -> String, take: (Reader.Rows) -> Int64?
    ) throws(Reader.Failure) -> (next: Int64?, progress: SearchProgress, isFull: Bool) {
        var walk = RecordWalk(
            after: after, before: before, head: try reader.plausibleHead(), isNewestFirst: isNewestFirst, budget: budget
        )
        let attempt = budget / 3
        if filter.match == nil, attempt >= .milliseconds(10), !walk.whole.isEmpty,
            let rows = try reader.rows(sql(condition(walk.whole)), within: attempt)
        {
            let full = take(rows)
            walk.pass(full.map { walk.part(of: walk.whole, through: $0) } ?? walk.whole, since: .now)
            return (walk.position, walk.progress, full != nil)
        }
        while var range = walk.next() {
            if filter.match != nil {
                range =
                    isNewestFirst
                    ? .init(lower: max(range.lower, range.upper - Self.fetched), upper: range.upper)
                    : .init(lower: range.lower, upper: min(range.upper, range.lower + Self.fetched))
            }
            let start = ContinuousClock.now
            if let id = take(try reader.rows(sql(condition(range)))) {
                walk.pass(walk.part(of: range, through: id), since: start)
                return (walk.position, walk.progress, true)
            }
            walk.pass(range, since: start)
            if walk.isLate() { break }
        }
        return (walk.position, walk.progress, false)
    }

    private func condition(_ range: ArrivalRange) -> String {
        let text = filter.text(Reader.literal)
        let conditions =
            ["id >= \(range.lower)", "id < \(range.upper)"]
            + [reader.isRecord, text.isEmpty ? nil : text].compactMap { $0 }
        return conditions.joined(separator: " AND ")
    }
}

extension SearchText {
    /// Whether an engine that knows NFKC and the case of ASCII's letters finds exactly what Daybook would: letters of
    /// ASCII and what has no case.
    /// - Parameter marks: characters that stand otherwise in the engine's form of JSON.
    func isComparable(without marks: Set<UInt32>) -> Bool {
        String(decoding: plain, as: UTF8.self).unicodeScalars.allSatisfy { scalar in
            guard !marks.contains(scalar.value) else { return false }
            return switch scalar.value {
            case 0x20...0x7E, 0x3001...0x3029, 0x3041...0x3096, 0x30A1...0x30FE, 0x4E00...0x9FFF: true
            default: false
            }
        }
    }
}
