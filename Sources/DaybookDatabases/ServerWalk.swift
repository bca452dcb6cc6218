import DaybookStore

/// Walks a filter's records in arrival order, within a time budget.
///
/// The first query covers everything, with a third of the budget: with a suitable index that is the whole answer. If
/// that is too slow, it goes on by ranges of arrival numbers.
struct ServerWalk<Reader: ServerReader> {
    /// Records per fetch when code reads each one.
    private static var fetched: Int64 { 16_384 }

    let reader: Reader
    let filter: FilterSQL
    let isNewestFirst: Bool
    let budget: Duration
    /// Whether code reads each record, to filter or count.
    let readsRows: Bool
    /// See ``RecordFilter/steps(within:)``.
    private let steps: Int64?

    init(
        _ reader: Reader, _ filter: RecordFilter, isNewestFirst: Bool, budget: Duration, readsRows: Bool = false
    ) {
        self.reader = reader
        self.isNewestFirst = isNewestFirst
        self.budget = budget
        steps = filter.steps(within: budget)
        self.filter = FilterSQL(Reader.stored(filter), reader.filterDialect)
        self.readsRows = readsRows || self.filter.match != nil
    }

    /// - Parameters:
    ///   - isFull: whether the rows taken of a range suffice. Default: never.
    ///   - sql: makes the statement from a range's condition.
    ///   - restart: discards everything taken, after the first query was incomplete.
    ///   - take: receives a row.
    /// - Returns: where to continue, and the progress.
    func run(
        after: Int64?, before: Int64?, isFull: () -> Bool = { false }, sql: (_ condition: String) -> String,
        restart: () -> Void, take: (Reader.Rows, Int) -> ServerTaken
    ) throws(Reader.Failure) -> (next: Int64?, progress: SearchProgress) {
        var walk = RecordWalk(
            after: after, before: before, head: try reader.plausibleHead(), isNewestFirst: isNewestFirst, budget: budget
        )
        if let steps {
            walk.skip(try gap(at: walk.rest))
            walk.end(after: steps)
        }
        var last: Int64?
        let body = { (rows: Reader.Rows, row: Int) -> Bool in
            let taken = take(rows, row)
            last = taken.id ?? last
            return !taken.isFull
        }
        let attempt = budget / 3
        if !readsRows, attempt >= .milliseconds(10), !walk.whole.isEmpty {
            // If the whole count is too large, count range by range, as if it took too long.
            switch try reader.forEachRow(of: sql(condition(walk.whole)), within: attempt, body) {
            case .all where !isFull():
                walk.pass(walk.whole, since: .now)
                return (walk.position, walk.progress)
            case .enough:
                walk.pass(last.map { walk.part(of: walk.whole, through: $0) } ?? walk.whole, since: .now)
                return (walk.position, walk.progress)
            case .all, .late, .cut:
                restart()
                last = nil
            }
        }
        while var range = walk.next() {
            if readsRows {
                range =
                    isNewestFirst
                    ? .init(lower: max(range.lower, range.upper - Self.fetched), upper: range.upper)
                    : .init(lower: range.lower, upper: min(range.upper, range.lower + Self.fetched))
            }
            let start = ContinuousClock.now
            last = nil
            switch try reader.forEachRow(of: sql(condition(range)), within: nil, body) {
            case .all: walk.pass(range, since: start)
            case .enough:
                walk.pass(last.map { walk.part(of: range, through: $0) } ?? range, since: start)
                return (walk.position, walk.progress)
            case .late, .cut:
                // Rows come in walk order, so everything before the last one is complete.
                guard let last else {
                    throw Reader.refusal(
                        StoreError(.badStatement, "The counts are too many for one answer; narrow them."))
                }
                walk.pass(walk.part(of: range, through: last), since: start)
            }
            if walk.isLate() || isFull() { break }
        }
        return (walk.position, walk.progress)
    }

    /// The numbers at the near end that no record has.
    private func gap(at rest: ArrivalRange) throws(Reader.Failure) -> ArrivalRange {
        let edge = try reader.rows(
            "SELECT coalesce(\(isNewestFirst ? "max" : "min")(id), 0) FROM \(reader.recordsTable) "
                + "WHERE id >= \(rest.lower) AND id < \(rest.upper)"
        ).integer(0, 0)
        guard edge > 0 else { return rest }
        return isNewestFirst ? .init(lower: edge + 1, upper: rest.upper) : .init(lower: rest.lower, upper: edge)
    }

    private func condition(_ range: ArrivalRange) -> String {
        let text = filter.text(Reader.literal)
        let conditions =
            ["id >= \(range.lower)", "id < \(range.upper)"]
            + [reader.isRecord, text.isEmpty ? nil : text].compactMap { $0 }
        return conditions.joined(separator: " AND ")
    }
}

struct ServerTaken {
    /// The record's arrival number; `nil` if it is not a record.
    var id: Int64?
    /// Whether to stop.
    var isFull: Bool
}

extension SearchText {
    /// Whether an engine with NFKC and ASCII case folding matches exactly what Daybook would: ASCII and caseless
    /// letters only.
    /// - Parameter marks: characters that the engine's JSON writes differently.
    func isComparable(without marks: Set<UInt32>) -> Bool {
        String(decoding: plain, as: UTF8.self).unicodeScalars.allSatisfy { scalar in
            guard !marks.contains(scalar.value) else { return false }
            return switch scalar.value {
            case 0x20...0x7E, 0x3001...0x3029, 0x30A1...0x30FE, 0x4E00...0x9FFF: true
            default: false
            }
        }
    }

    var hasKana: Bool {
        String(decoding: plain, as: UTF8.self).unicodeScalars.contains { (0x30A1...0x30FE).contains($0.value) }
    }
}

/// Kana folding, which engines lack.
enum Kana {
    private static let hiragana = text(0x3041...0x3096) + text(0x309D...0x309E)

    private static func text(_ scalars: ClosedRange<UInt32>) -> String {
        String(String.UnicodeScalarView(scalars.compactMap { Unicode.Scalar($0) }))
    }

    /// Converts an expression's hiragana to katakana, with an engine's character replacement function.
    static func katakana(of expression: String, by function: String) -> String {
        let katakana = String(
            String.UnicodeScalarView(hiragana.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0x60) }))
        return "\(function)(\(expression), '\(hiragana)', '\(katakana)')"
    }
}
