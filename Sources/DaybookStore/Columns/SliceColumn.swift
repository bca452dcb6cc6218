import DaybookBase

/// A column of a slice of records: for each record, the number of its value.
package struct SliceColumn: Sendable {
    enum Values: Sendable {
        case texts(TextTable)
        /// Members of JSON objects, as written there.
        case json(TextTable)
        case integers([Int64])
        /// Texts that are too many, or too long: their keys alone.
        case keys([UInt64])

        var count: Int {
            switch self {
            case .texts(let table), .json(let table): table.count
            case .integers(let values): values.count
            case .keys(let keys): keys.count
            }
        }
    }

    /// For each record 0 without a value, otherwise the value's number, from 1.
    package internal(set) var codes: [UInt16]
    var values: Values

    /// Whether texts are known, rather than their keys alone.
    var hasTexts: Bool { if case .keys = values { false } else { true } }

    /// The values of a column of integers.
    var integers: [Int64] { if case .integers(let integers) = values { integers } else { [] } }

    /// How many values there are; each occurs.
    package var count: Int { values.count }

    /// The column of records from one of their contexts; `nil` if there is no such context.
    /// - Parameter contexts: For each record the number of its context, from 0.
    package func spread(over contexts: [UInt16]) -> SliceColumn? {
        // What makes reading without further checks sound.
        guard contexts.max().map({ $0 < codes.count }) ?? true else { return nil }
        var column = self
        column.codes = codes.withUnsafeBufferPointer { codes in contexts.map { codes[Int($0)] } }
        return column
    }

    /// The text of a value, from 1; `nil` where only its key is known.
    package func text(_ number: Int) -> String? {
        switch values {
        case .texts(let table): String(streamSafe: table.text(number - 1))
        case .json(let table): Self.text(ofJSON: table.text(number - 1))
        case .integers(let integers): String(integers[number - 1])
        case .keys: nil
        }
    }

    /// A value, from 1; `nil` where only its key is known.
    package func value(_ number: Int) -> Value? {
        switch values {
        case .texts(let table): .string(String(streamSafe: table.text(number - 1)))
        case .json(let table): try? JSONReader.value(of: Array(table.text(number - 1)))
        case .integers(let integers): .int(integers[number - 1])
        case .keys: nil
        }
    }

    /// A number, from 1, also one of more digits than ``value(_:)`` keeps in a number; `nil` for other values.
    package func number(_ number: Int) -> Double? {
        switch values {
        case .json(let table):
            let text = table.text(number - 1)
            guard let first = text.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else {
                return nil
            }
            return Double(String(streamSafe: text))
        case .integers(let integers): return Double(integers[number - 1])
        case .texts, .keys: return nil
        }
    }

    /// For each value, from the first, a number that equal texts share: a keyed hash, which nobody can make collide.
    package func keys(_ key: HashKey) -> [UInt64] {
        switch values {
        case .texts(let table): table.keys(key, isJSON: false)
        case .json(let table): table.keys(key, isJSON: true)
        case .integers(let integers): integers.map(key.key)
        case .keys(let keys): keys
        }
    }

    /// A text itself; anything else as written.
    fileprivate static func text(ofJSON bytes: ArraySlice<UInt8>) -> String {
        guard bytes.first == UInt8(ascii: "\"") else { return String(streamSafe: bytes) }
        let inner = bytes.dropFirst().dropLast()
        guard inner.contains(UInt8(ascii: "\\")) else { return String(streamSafe: inner) }
        guard case .string(let text)? = try? JSONReader.value(of: Array(bytes)) else {
            return String(streamSafe: inner)
        }
        return text
    }
}

extension SliceColumn {
    /// A column of one text.
    package init(repeating text: String, count: Int) {
        let bytes = Array(text.utf8)
        codes = Array(repeating: 1, count: count)
        values = .texts(TextTable(bytes: bytes, ends: [bytes.count]))
    }
}

extension HashKey {
    /// Of integers no two have the same key.
    func key(of integer: Int64) -> UInt64 {
        // The finalizer of MurmurHash3, which is a bijection.
        var word = UInt64(bitPattern: integer) ^ k0
        word = (word ^ word >> 33) &* 0xFF51_AFD7_ED55_8CCD
        word = (word ^ word >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return word ^ word >> 33 ^ k1
    }

    /// The text `5` has the key of the integer.
    /// - Parameter isJSON: Whether a text is in quotes.
    func key(of text: UnsafeBufferPointer<UInt8>, isJSON: Bool) -> UInt64 {
        guard isJSON, text.first == UInt8(ascii: "\"") else { return key(of: text) }
        let inner = UnsafeBufferPointer(rebasing: text.dropFirst().dropLast())
        guard inner.contains(UInt8(ascii: "\\")) else { return key(of: inner) }
        var plain = SliceColumn.text(ofJSON: Array(text)[...])
        return plain.withUTF8 { key(of: $0) }
    }

    private func key(of text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        Self.integer(text).map(key) ?? hash(UnsafeRawBufferPointer(text)).0
    }

    /// The number that a text is the canonical form of.
    static func integer(_ text: some Collection<UInt8>) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard (1...18).contains(digits.count), digits.first != UInt8(ascii: "0") || !isNegative && digits.count == 1
        else { return nil }
        var sum: Int64 = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            sum = sum * 10 + Int64(digit)
        }
        return isNegative ? -sum : sum
    }
}

extension TextTable {
    /// The texts' keys.
    func keys(_ key: HashKey, isJSON: Bool) -> [UInt64] {
        bytes.withUnsafeBufferPointer { bytes in
            (0..<count).map { key.key(of: UnsafeBufferPointer(rebasing: bytes[range($0)]), isJSON: isJSON) }
        }
    }
}

/// Columns of consecutive records, in order of arrival.
package struct ColumnSlice: Sendable {
    package internal(set) var count = 0
    /// Nanoseconds since 1970.
    package internal(set) var times: [Int64] = []
    /// Arrival numbers, if asked for.
    package internal(set) var numbers: [Int64] = []
    var columns: [ColumnName: SliceColumn] = [:]
    /// The earliest and the latest time, if known.
    var bounds: ClosedRange<Int64>?

    /// Whether all times are known to be in a range.
    package func isWithin(_ times: Range<Int64>) -> Bool {
        bounds.map { times.contains($0.lowerBound) && times.contains($0.upperBound) } ?? false
    }

    /// `nil` where no record has a value.
    package subscript(name: ColumnName) -> SliceColumn? { columns[name] }
}

extension ColumnSlice {
    /// - Parameter times: Of each record.
    package init(times: [Int64], numbers: [Int64], columns: [ColumnName: SliceColumn]) {
        self.init(count: times.count, times: times, numbers: numbers, columns: columns)
        bounds = times.min().flatMap { first in times.max().map { first...$0 } }
    }
}
