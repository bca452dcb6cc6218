import DaybookBase
import DaybookTools

/// Columns of a store in a file, extent by extent: read on another thread, ahead of whoever takes them. Runs inside a
/// reading transaction.
struct ColumnReader: ColumnSource {
    let key: HashKey
    private let columns: ExtentColumns
    private let threads: WorkThreads
    /// In order of arrival.
    private let extents: [(number: Int64, isIndexed: Bool)]
    private let progress: (SearchProgress) -> Void

    init(
        _ connection: SQLiteConnection, _ key: HashKey, _ columns: ExtentColumns, on threads: WorkThreads,
        progress: @escaping (SearchProgress) -> Void
    ) throws(StoreError) {
        (self.key, self.columns, self.threads, self.progress) = (key, columns, threads, progress)
        let view = try IndexView(connection)
        var extents = view.extents.keys.map { (number: $0, isIndexed: true) }
        try view.forEachUnindexed(connection) { range throws(StoreError) in
            extents.append((IndexExtent.number(of: range.lower), false))
        }
        self.extents = extents.sorted { $0.number < $1.number }
    }

    func forEach(
        _ request: ColumnRequest, _ body: (ColumnSlice) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let wanted = extents.filter { extent in
            let range = IndexExtent.range(extent.number)
            return request.numbers?.overlaps(range.lower..<range.upper) ?? true
        }
        // The connection is the reading thread's until that has ended.
        let columns = Confined(columns)
        let slices = ReadAhead<ColumnSlice?>(on: threads) { pass throws(StoreError) in
            for extent in wanted {
                let slice = try columns.value.slice(of: extent.number, isIndexed: extent.isIndexed, request)
                guard pass(slice) else { return }
            }
        }
        defer { slices.end() }
        var done: Int64 = 0
        while let slice = try slices.take() {
            if let slice, try !body(slice) { return }
            done += 1
            progress(SearchProgress(done: done, total: Int64(wanted.count)))
        }
    }
}

/// Columns of an extent: from the index, and from the records where it has none. Runs inside a reading transaction.
struct ExtentColumns {
    private let connection: SQLiteConnection
    private let limit: Duration
    private let end: ContinuousClock.Instant
    private let isCancelled: () -> Bool
    /// Receives an extent with a damaged column, which was read from the records.
    private let damaged: (Int64) -> Void

    /// - Parameter limit: Default: none beside the caller's own.
    init(
        _ connection: SQLiteConnection, limit: Duration = .seconds(3_600), isCancelled: @escaping () -> Bool,
        damaged: @escaping (Int64) -> Void
    ) {
        (self.connection, self.limit, end) = (connection, limit, .now + limit)
        (self.isCancelled, self.damaged) = (isCancelled, damaged)
    }

    /// `nil` if all records are of other times.
    func slice(of extent: Int64, isIndexed: Bool = true, _ request: ColumnRequest) throws(StoreError) -> ColumnSlice? {
        try check()
        guard var slice = isIndexed ? try indexed(extent, request) : try gathered(extent, request.names) else {
            return nil
        }
        guard request.numbers != nil else { return slice }
        let numbers = try numbers(of: extent, count: slice.count)
        if numbers.count != slice.count {
            damaged(extent)
            slice = try gathered(extent, request.names)
        }
        slice.numbers = numbers
        return slice
    }

    /// - Parameter count: Of the extent's records, if the index is right.
    private func numbers(of extent: Int64, count: Int) throws(StoreError) -> [Int64] {
        let range = IndexExtent.range(extent)
        guard let first = try connection.firstArrival(from: range.lower),
            let last = try connection.lastArrival(before: range.upper), first <= last
        else { return [] }
        if last - first == count - 1 { return Array(first...last) }
        let statement = try connection.statement(
            "SELECT id FROM stored_records NOT INDEXED WHERE id >= ? AND id <= ? ORDER BY id",
            [.integer(first), .integer(last)])
        defer { statement.reset() }
        var numbers: [Int64] = []
        while try statement.step() { numbers.append(statement.integer(0)) }
        return numbers
    }

    private func check() throws(StoreError) {
        if isCancelled() { throw .queryCancelled }
        if ContinuousClock.now > end { throw .stopped(after: limit) }
    }

    // MARK: From the index

    /// An extent's columns; those that the index lacks, or has only keys of, are read from the records. `nil` if all
    /// records are of other times.
    private func indexed(_ extent: Int64, _ request: ColumnRequest) throws(StoreError) -> ColumnSlice? {
        var (slice, missing) = (ColumnSlice(), Set<ColumnName>())
        do throws(ColumnFault) {
            let list = try withStored(ColumnName.list, extent) { (codes, content) throws(ColumnBytes.Damage) in
                try ColumnList(codes, content)
            }
            guard let bounds = list.times, bounds.overlaps(request.times) else { return nil }
            slice.bounds = bounds
            slice.times = try times(of: extent)
            slice.count = slice.times.count
            var contexts: [UInt16]?
            for name in request.names where name != .field(.time) {
                guard list.contains(name) else {
                    if list.hasMore, name.isMember { missing.insert(name) }
                    continue
                }
                let column = try column(name, of: extent, slice.count, &contexts)
                if column.hasTexts || !request.valued.contains(name) {
                    slice.columns[name] = column
                } else {
                    missing.insert(name)
                }
            }
        } catch {
            if case .store(let error) = error { throw error }
            damaged(extent)
            return try gathered(extent, request.names)
        }
        guard !missing.isEmpty else { return slice }
        slice.columns.merge(try gathered(extent, missing).columns) { $1 }
        return slice
    }

    private func times(of extent: Int64) throws(ColumnFault) -> [Int64] {
        try withStored(ColumnName.field(.time).text, extent) { codes, values throws(ColumnBytes.Damage) in
            let column = try SliceColumn(codes: codes, values: values, isJSON: false)
            guard column.integers.count == column.codes.count else { throw ColumnBytes.Damage() }
            return column.integers
        }
    }

    /// - Parameter contexts: The number of each record's context, once it has been read.
    private func column(
        _ name: ColumnName, of extent: Int64, _ count: Int, _ contexts: inout [UInt16]?
    ) throws(ColumnFault) -> SliceColumn {
        var column = try withStored(name.text, extent) { codes, values throws(ColumnBytes.Damage) in
            try SliceColumn(codes: codes, values: values, isJSON: name.isMember)
        }
        if case .common = name {
            let numbers = if let contexts { contexts } else { try self.contexts(of: extent) }
            contexts = numbers
            guard let spread = column.spread(over: numbers) else { throw .damage }
            column = spread
        }
        guard column.codes.count == count else { throw .damage }
        return column
    }

    private func contexts(of extent: Int64) throws(ColumnFault) -> [UInt16] {
        try withStored(ColumnName.contexts, extent) { codes, _ throws(ColumnBytes.Damage) in
            var bytes = ColumnBytes(codes)
            return try bytes.codes(try bytes.number(), below: .max)
        }
    }

    /// A stored column's parts, lent to `body`.
    private func withStored<Result>(
        _ name: String, _ extent: Int64,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(ColumnBytes.Damage) -> Result
    ) throws(ColumnFault) -> Result {
        let statement: SQLiteStatement
        let isThere: Bool
        do throws(StoreError) {
            statement = try connection.statement(
                "SELECT codes, content FROM idx.columns WHERE segment = ? AND name = ?",
                [.integer(extent), .text(name)])
            isThere = try statement.step()
        } catch {
            throw .store(error)
        }
        defer { statement.reset() }
        guard isThere else { throw .damage }
        do throws(ColumnBytes.Damage) {
            return try statement.withBlob(0) { codes throws(ColumnBytes.Damage) in
                try statement.withBlob(1) { content throws(ColumnBytes.Damage) in
                    try body(
                        try StoredColumn.opened(codes, "codes", name, in: extent),
                        try StoredColumn.opened(content, "content", name, in: extent))
                }
            }
        } catch {
            throw .damage
        }
    }

    // MARK: From the records

    /// Rows between two looks at whether the caller has given up: a few milliseconds.
    private static let step: Int64 = 2_048

    private func gathered(_ extent: Int64, _ names: Set<ColumnName>) throws(StoreError) -> ColumnSlice {
        var gatherer = ColumnGatherer(only: names)
        let range = IndexExtent.range(extent)
        for start in stride(from: range.lower, to: range.upper, by: Int(Self.step)) {
            try check()
            let statement = try connection.statement(
                "SELECT \(gatherer.selection) FROM stored_records NOT INDEXED WHERE id >= ? AND id < ? ORDER BY id",
                [.integer(start), .integer(start + Self.step)])
            defer { statement.reset() }
            while try statement.step() {
                try gatherer.add(statement, ColumnGatherer.selected) { stored throws(StoreError) in
                    try ContextTable.context(of: stored, connection)
                }
            }
        }
        return gatherer.slice
    }
}

/// Why a stored column cannot be read.
private enum ColumnFault: Error {
    case damage
    case store(StoreError)
}
