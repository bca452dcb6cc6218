/// The columns of an extent: what is not in it is nowhere in the extent, and what is missing is damage.
struct ColumnList {
    private var names = TextTable()
    /// Whether there are members without a column.
    let hasMore: Bool
    /// The earliest and the latest time; `nil` without records.
    let times: ClosedRange<Int64>?

    init(of names: [String], hasMore: Bool, times: ClosedRange<Int64>?) {
        (self.hasMore, self.times) = (hasMore, times)
        for var name in names { _ = name.withUTF8 { self.names.number(of: $0) } }
    }

    /// Reads a stored list.
    init(_ codes: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer) throws(ColumnBytes.Damage) {
        var (head, body) = (ColumnBytes(codes), ColumnBytes(content))
        hasMore = try head.byte() != 0
        let bounds = codes.count > 1 ? try head.integers(2) : []
        guard bounds.isEmpty || bounds[0] <= bounds[1] else { throw ColumnBytes.Damage() }
        times = bounds.isEmpty ? nil : bounds[0]...bounds[1]
        names = try TextTable(&body, try body.number())
    }

    func contains(_ name: ColumnName) -> Bool {
        let name = Array(name.text.utf8)
        return (0..<names.count).contains { names.text($0).elementsEqual(name) }
    }

    var stored: StoredColumn {
        var (codes, content): ([UInt8], [UInt8]) = ([hasMore ? 1 : 0], [])
        if let times { PackedIntegers.append([times.lowerBound, times.upperBound], to: &codes) }
        content.append(little: UInt64(names.count), bytes: 4)
        names.append(to: &content)
        return StoredColumn(name: ColumnName.list, codes: codes, content: content)
    }
}
