/// The columns of an extent: what is not in it is nowhere in the extent, and what is missing is damage.
struct ColumnList {
    var names: Set<ExactText>
    /// Whether there are members without a column.
    var hasMore: Bool
    /// The earliest and the latest time; `nil` without records.
    var times: ClosedRange<Int64>?

    var stored: StoredColumn {
        var table = TextTable()
        for var name in names.sorted().map(\.text) { _ = name.withUTF8 { table.number(of: $0) } }
        var (codes, content): ([UInt8], [UInt8]) = ([hasMore ? 1 : 0], [])
        if let times { PackedIntegers.append([times.lowerBound, times.upperBound], to: &codes) }
        content.append(little: UInt64(table.count), bytes: 4)
        table.append(to: &content)
        return StoredColumn(name: ColumnName.list, codes: codes, content: content)
    }

    init(names: Set<ExactText>, hasMore: Bool, times: ClosedRange<Int64>?) {
        (self.names, self.hasMore, self.times) = (names, hasMore, times)
    }

    /// Reads a stored list.
    init(_ codes: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer) throws(ColumnBytes.Damage) {
        var (head, body) = (ColumnBytes(codes), ColumnBytes(content))
        hasMore = try head.byte() != 0
        let bounds = codes.count > 1 ? try head.integers(2) : []
        guard bounds.isEmpty || bounds[0] <= bounds[1] else { throw ColumnBytes.Damage() }
        times = bounds.isEmpty ? nil : bounds[0]...bounds[1]
        let table = try TextTable(&body, try body.number())
        names = Set((0..<table.count).map { ExactText(String(streamSafe: table.text($0))) })
    }
}
