import DaybookBase
import DaybookTools

/// A field's values in a slice, numbered for counting.
package struct CountedColumn {
    /// The number of each record's value, from 1; 0 without one.
    package let numbers: [UInt32]
    /// The record's own column first, which takes precedence.
    private let columns: [SeenColumn]

    package init(_ field: FacetQuery.Field, of slice: ColumnSlice, _ classes: RecordClasses?) {
        columns = field.columns.compactMap { SeenColumn($0, of: slice, classes) }
        switch columns.count {
        case 0: numbers = Array(repeating: 0, count: slice.count)
        case 1: numbers = columns[0].codes.map { UInt32($0) }
        default:
            let count = UInt32(columns[0].count)
            numbers = zip(columns[0].codes, columns[1].codes).map { own, common in
                own != 0 ? UInt32(own) : common != 0 ? count + UInt32(common) : 0
            }
        }
    }

    /// The largest number.
    package var count: Int { columns.reduce(0) { $0 + $1.count } }

    /// A value as it is counted; `nil` for one that is not.
    func text(_ number: Int) -> String? { place(of: number).flatMap { $0.column.seen($0.group)?.countedText } }

    /// A text, number or boolean as it is written; empty for anything else.
    package func label(_ number: Int) -> String { place(of: number).map { $0.column.label($0.group) } ?? "" }

    private func place(of number: Int) -> (column: SeenColumn, group: Int)? {
        var group = number
        for column in columns where group > 0 {
            if group <= column.count { return (column, group) }
            group -= column.count
        }
        return nil
    }
}

extension FacetQuery.Field {
    /// The columns of its values, the one that takes precedence first.
    package var columns: [ColumnName] {
        switch self {
        case .kind: [.field(.kind)]
        case .level: [.field(.level)]
        case .tag: [.field(.tag)]
        case .module: [.field(.module)]
        case .session: [.field(.session)]
        case .installation: [.field(.installation)]
        case .version: [ContextFields.versionColumn]
        case .attribute(let name): [.own(ExactText(name)), .common(ExactText(name))]
        }
    }
}

extension FacetCounts {
    /// Counts a slice's records.
    mutating func add(_ slice: ColumnSlice, _ filter: ColumnFilter, of fields: [FacetQuery.Field]) {
        let classes = filter.classes(of: slice)
        let places = filter.matches(in: slice, classes)
        if case .none = places { return }
        let matches = places.bytes(slice.count)
        for field in fields {
            let column = CountedColumn(field, of: slice, classes)
            var counts = [UInt32](repeating: 0, count: column.count + 1)
            counts.withUnsafeMutableBufferPointer { counts in
                for (place, number) in column.numbers.enumerated() { counts[Int(number)] += UInt32(matches[place]) }
            }
            for (number, count) in counts.enumerated().dropFirst() where count > 0 {
                if let text = column.text(number) { add(Int64(count), field, text) }
            }
        }
    }
}

extension Histogram {
    /// Counts a slice's records.
    /// - Parameter filter: With the query's times.
    mutating func add(_ slice: ColumnSlice, _ filter: ColumnFilter, of query: HistogramQuery) {
        let classes = filter.classes(of: slice)
        let places = filter.matches(in: slice, classes)
        if case .none = places { return }
        let matches = places.bytes(slice.count)
        let column = CountedColumn(query.split.field, of: slice, classes)
        // The first one is of records without a listed value.
        var series: [String?] = [nil]
        var known: [ExactText: Int] = [:]
        let ofNumbers =
            [0]
            + (1..<column.count + 1).map { number -> Int in
                guard let text = column.text(number), let name = query.split.series(of: text) else { return 0 }
                if let place = known[name] { return place }
                known[name] = series.count
                series.append(text)
                return series.count - 1
            }
        var buckets = TimeBuckets(query)
        var counts = [Int64](repeating: 0, count: series.count * query.count)
        var touched: ClosedRange<Int>?
        for (place, number) in column.numbers.enumerated() where matches[place] != 0 {
            guard let bucket = buckets.number(of: slice.times[place]) else { continue }
            counts[ofNumbers[Int(number)] * query.count + bucket] += 1
            touched = touched.map { min($0.lowerBound, bucket)...max($0.upperBound, bucket) } ?? bucket...bucket
        }
        for bucket in touched.map(Array.init) ?? [] {
            for (place, text) in series.enumerated() where counts[place * query.count + bucket] > 0 {
                add(counts[place * query.count + bucket], text, bucket: bucket, of: query)
            }
        }
    }
}

/// The buckets of a query, for times that mostly follow each other.
private struct TimeBuckets {
    private let query: HistogramQuery
    private var last: (number: Int, times: Range<Int64>)?

    init(_ query: HistogramQuery) { self.query = query }

    mutating func number(of time: Int64) -> Int? {
        if let last, last.times.contains(time) { return last.number }
        guard let number = query.bucket(of: time) else { return nil }
        let start = query.start + Int64(number) * query.width
        let (end, isBeyond) = start.addingReportingOverflow(query.width)
        last = (number, start..<(isBeyond ? .max : end))
        return number
    }
}
