import DaybookBase
import DaybookStore

/// Streams the columns of the records that a fold needs, as of one moment: rows in order of arrival, by ranges of arrival
/// numbers. Runs inside a transaction.
struct PostgreSQLColumns: ColumnSource {
    /// Arrival numbers of a range: at most so many records of a slice.
    static let rangeSize: Int64 = 32_768

    /// Nothing is stored under it, and readers may lack the privilege to see the store's.
    let key = StoreKey(identity: StoreKey.newIdentity()).ofColumns
    private let connection: PostgreSQLConnection
    private let limit: Duration
    private let end: ContinuousClock.Instant
    private let isCancelled: () -> Bool
    private let progress: (SearchProgress) -> Void
    /// `nil` without records.
    private let ids: ClosedRange<Int64>?

    /// Begins the transaction.
    /// - Parameter isCancelled: Somebody else cancels the running statement as well.
    init(
        _ connection: PostgreSQLConnection, limit: Duration, progress: @escaping (SearchProgress) -> Void,
        isCancelled: @escaping () -> Bool
    ) throws(PostgreSQLError) {
        (self.connection, self.limit, end) = (connection, limit, .now + limit)
        (self.progress, self.isCancelled) = (progress, isCancelled)
        try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \(Self.timeout(limit))")
        let found = try connection.run("SELECT min(id), max(id) FROM stored_records")[0]
        ids = found.optionalInteger(0, 0).flatMap { first in found.optionalInteger(0, 1).map { first...$0 } }
    }

    func forEach(
        _ request: ColumnRequest, _ body: (ColumnSlice) throws(StoreError) -> Bool
    ) throws(StoreError) {
        guard let ids = ids.flatMap(request.wanted(of:)) else { return }
        let selection = ColumnSelection(request)
        for start in stride(from: ids.lowerBound, through: ids.upperBound, by: Int(Self.rangeSize)) {
            let rest = min(Self.rangeSize - 1, ids.upperBound - start)
            let slice = try slice(selection, start...start + rest)
            if slice.count > 0, !(try body(slice)) { return }
            progress(SearchProgress(done: start - ids.lowerBound + rest + 1, total: Int64(ids.count)))
        }
    }

    private static func timeout(_ time: Duration) -> String {
        "SET LOCAL statement_timeout = \(max(1, Int(time / .milliseconds(1))))"
    }

    private func slice(_ selection: ColumnSelection, _ ids: ClosedRange<Int64>) throws(StoreError) -> ColumnSlice {
        if isCancelled() { throw .queryCancelled }
        let rest = end - .now
        guard rest > .zero else { throw .stopped(after: limit) }
        do throws(PostgreSQLError) {
            try connection.run(Self.timeout(rest))
            var rows = SelectedRows(selection, key)
            try connection.copy(selection.statement(ids)) { row throws(PostgreSQLError) in try rows.add(row) }
            if let statement = rows.contexts.statement {
                try connection.copy(statement) { row throws(PostgreSQLError) in try rows.contexts.resolve(row) }
            }
            return rows.slice
        } catch {
            if isCancelled() { throw .queryCancelled }
            throw error.isStopped ? .stopped(after: limit) : error.ofStore
        }
    }
}

extension ColumnRequest {
    /// Which of a store's arrival numbers it is about; `nil` for none.
    fileprivate func wanted(of ids: ClosedRange<Int64>) -> ClosedRange<Int64>? {
        guard let numbers else { return ids }
        let (first, last) = (max(ids.lowerBound, numbers.lowerBound), min(ids.upperBound, numbers.upperBound - 1))
        return first <= last ? first...last : nil
    }
}

/// What a statement selects for a request.
private struct ColumnSelection {
    /// In the order of their cells, behind the time.
    let names: [ColumnName]
    /// Of which only whether they are equal counts.
    let keyed: Set<ColumnName>
    /// The members of contexts, which are behind all others.
    let common: [String]
    /// All records then have the same kind, which is not sent.
    let isOfEvents: Bool
    let hasNumbers: Bool
    private let condition: String

    init(_ request: ColumnRequest) {
        var conditions: [String] = []
        (isOfEvents, hasNumbers) = (request.records.onlyEvents, request.numbers != nil)
        let (isOfEvents, kind) = (isOfEvents, ColumnName.field(.kind))
        if isOfEvents { conditions.append("kind = 'event'") }
        if let tags = request.records.tags { conditions.append("tag IN (\(PostgreSQLLiteral.list(tags)))") }
        names = request.names.filter { name in
            if case .common = name { false } else { name != .field(.time) && !(isOfEvents && name == kind) }
        }
        common = request.names.compactMap { if case .common(let name) = $0 { name.text } else { nil } }
        keyed = request.keyed.subtracting(request.valued)
        let (since, until) = (request.times.lowerBound, request.times.upperBound)
        // Not by the index of times, which a planner without statistics would read whole for each range.
        conditions.append(
            "time + 0 >= \(PostgreSQLLiteral.integer(since)) AND time + 0 < \(PostgreSQLLiteral.integer(until))")
        condition = conditions.joined(separator: " AND ")
    }

    func statement(_ ids: ClosedRange<Int64>) -> String {
        let columns = names.map { name in
            switch name {
            case .field(let field): field.rawValue
            case .own(let member), .common(let member): "attributes -> \(PostgreSQLLiteral.text(member.text))"
            }
        }
        let first = hasNumbers ? ["id", "time"] : ["time"]
        let selected = (first + columns + (common.isEmpty ? [] : ["context_id", "context"])).joined(separator: ", ")
        return """
            COPY (SELECT \(selected) FROM stored_records WHERE id BETWEEN \(ids.lowerBound) AND \(ids.upperBound)
                AND \(condition) ORDER BY id) TO STDOUT (FORMAT binary)
            """
    }
}

/// The rows of a range.
private struct SelectedRows {
    private let selection: ColumnSelection
    private var times: [Int64] = []
    private var numbers: [Int64] = []
    /// In the order of the selection's names.
    private var columns: [ColumnBuilder]
    var contexts: SliceContexts

    init(_ selection: ColumnSelection, _ key: HashKey) {
        self.selection = selection
        columns = selection.names.map { name in
            var isJSON = true
            if case .field = name { isJSON = false }
            return ColumnBuilder(isJSON: isJSON, key: selection.keyed.contains(name) ? key : nil)
        }
        contexts = SliceContexts(selection.common)
    }

    mutating func add(_ row: CopiedRow) throws(PostgreSQLError) {
        var row = row
        let place = times.count
        if selection.hasNumbers { numbers.append(try row.integer() ?? 0) }
        times.append(try row.integer() ?? 0)
        for index in columns.indices {
            switch selection.names[index] {
            case .field(.level), .field(.duration), .field(.time):
                if let number = try row.integer() { columns[index].add(number, at: place) }
            case .field: if let text = try row.cell() { columns[index].add(text, at: place) }
            case .own, .common: if let json = try row.json() { columns[index].add(json, at: place) }
            }
        }
        if !selection.common.isEmpty { try contexts.add(&row) }
    }

    var slice: ColumnSlice {
        var all = contexts.columns
        for (name, column) in zip(selection.names, columns) where !column.isEmpty {
            all[name] = column.column(of: times.count)
        }
        if selection.isOfEvents {
            all[.field(.kind)] = SliceColumn(repeating: Kind.event.rawValue, count: times.count)
        }
        return ColumnSlice(times: times, numbers: numbers, columns: all)
    }
}

/// The contexts of a range's records, each once.
private struct SliceContexts {
    /// Digests of shared ones, and short ones themselves.
    private var texts = TextTable()
    /// Of each record.
    private var numbers: [UInt16] = []
    private var shared: [String] = []
    private var members: MemberColumns

    init(_ names: [String]) { members = MemberColumns(only: names) }

    /// Adds a record's context, from the two cells of its digest and its text.
    mutating func add(_ row: inout CopiedRow) throws(PostgreSQLError) {
        let (digest, json) = (try row.cell(), try row.json())
        let known = texts.count
        let number = texts.number(of: digest ?? json ?? UnsafeBufferPointer(start: nil, count: 0))
        numbers.append(UInt16(number))
        guard number == known else { return }
        if let digest {
            shared.append(Hex.text(UnsafeRawBufferPointer(digest)))
        } else if let json {
            members.add(json, at: number)
        }
    }

    /// Reads the shared ones; `nil` without any.
    var statement: String? {
        shared.isEmpty
            ? nil
            : """
            COPY (SELECT id, context FROM contexts WHERE id = ANY('{\(shared.joined(separator: ","))}'))
                TO STDOUT (FORMAT binary)
            """
    }

    mutating func resolve(_ row: CopiedRow) throws(PostgreSQLError) {
        var row = row
        guard let digest = try row.cell(), let json = try row.json() else { return }
        members.add(json, at: texts.number(of: digest))
    }

    var columns: [ColumnName: SliceColumn] {
        var all: [ColumnName: SliceColumn] = [:]
        for (name, column) in members.columns where !column.isEmpty {
            all[.common(name)] = column.column(of: texts.count).spread(over: numbers)
        }
        return all
    }
}
