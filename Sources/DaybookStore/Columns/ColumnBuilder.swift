import CChecksum
import DaybookBase

/// A column, value by value.
package struct ColumnBuilder {
    private enum Form { case texts, integers, keys }

    private let isJSON: Bool
    /// For the keys of texts that are too many or too long to be kept; `nil` keeps all.
    private let key: HashKey?
    private var form = Form.texts
    /// The records that have a value, by their place, ascending.
    private var places: [UInt16] = []
    /// One for each place, by the form.
    private var codes: [UInt16] = []
    private var integers: [Int64] = []
    private var keys: [UInt64] = []
    private var table = TextTable()

    /// - Parameters:
    ///   - isJSON: Whether the texts are JSON.
    ///   - key: `nil` keeps all texts; otherwise only keys are kept of those that are too many or too long.
    package init(isJSON: Bool, key: HashKey?) { (self.isJSON, self.key) = (isJSON, key) }

    package var isEmpty: Bool { places.isEmpty }

    /// - Parameter place: Of a record, or context; larger than the one before if the column is stored.
    package mutating func add(_ text: UnsafeBufferPointer<UInt8>, at place: Int) {
        // A repeated member: the first one counts, as in SQL.
        guard places.last != UInt16(place) else { return }
        switch form {
        case .texts:
            let known = table.count
            codes.append(UInt16(table.number(of: text)))
            places.append(UInt16(place))
            if table.count > known, table.count % 1_024 == 0 { changeForm() }
            return
        case .integers:
            if let integer = HashKey.integer(text) {
                integers.append(integer)
            } else if let key {
                keys = integers.map(key.key)
                keys.append(key.key(of: text, isJSON: isJSON))
                (form, integers) = (.keys, [])
            }
        case .keys: if let key { keys.append(key.key(of: text, isJSON: isJSON)) }
        }
        places.append(UInt16(place))
    }

    package mutating func add(_ integer: Int64, at place: Int) {
        form = .integers
        places.append(UInt16(place))
        integers.append(integer)
    }

    /// Gives up the table where nearly all values differ, or are long.
    private mutating func changeForm() {
        guard let key else { return }
        let isVarious = table.count * 2 > places.count
        if isJSON, isVarious, let numbers = tableOfIntegers {
            integers = codes.map { numbers[Int($0)] }
            form = .integers
        } else if isTooLong {
            let all = table.keys(key, isJSON: isJSON)
            keys = codes.map { all[Int($0)] }
            form = .keys
        } else {
            return
        }
        (table, codes) = (TextTable(), [])
    }

    private var isTooLong: Bool {
        table.bytes.count > max(StoredValues.mostBytes, StoredValues.bytesPerRecord * places.count)
    }

    private var tableOfIntegers: [Int64]? {
        var numbers: [Int64] = []
        numbers.reserveCapacity(table.count)
        for number in 0..<table.count {
            guard let integer = HashKey.integer(table.text(number)) else { return nil }
            numbers.append(integer)
        }
        return numbers
    }

    /// - Parameter count: Of the slice's records, or contexts.
    package func column(of count: Int) -> SliceColumn {
        var all = [UInt16](repeating: 0, count: count)
        for (number, place) in places.enumerated() {
            all[Int(place)] = form == .texts ? codes[number] + 1 : UInt16(number + 1)
        }
        switch form {
        case .texts: return SliceColumn(codes: all, values: isJSON ? .json(table) : .texts(table))
        case .integers: return SliceColumn(codes: all, values: .integers(integers))
        case .keys: return SliceColumn(codes: all, values: .keys(keys))
        }
    }

    // MARK: Stored form

    /// - Parameter count: Of the slice's records, or contexts.
    func stored(as name: ColumnName, of count: Int) -> StoredColumn {
        var (codes, content): ([UInt8], [UInt8]) = ([], [])
        appendPlaces(of: count, to: &codes)
        switch form {
        case .texts:
            if let key, isTooLong {
                let all = table.keys(key, isJSON: isJSON)
                Self.append(self.codes.map { all[Int($0)] }, to: &content)
            } else {
                PackedIntegers.append(self.codes, to: &codes)
                content.append(StoredValues.texts.rawValue)
                content.append(little: UInt64(table.count), bytes: 4)
                table.append(to: &content)
            }
        case .integers:
            content.append(StoredValues.integers.rawValue)
            content.append(little: UInt64(integers.count), bytes: 4)
            PackedIntegers.append(integers, to: &content)
        case .keys: Self.append(keys, to: &content)
        }
        return StoredColumn(name: name.text, codes: codes, content: content)
    }

    private static func append(_ keys: [UInt64], to content: inout [UInt8]) {
        content.append(StoredValues.keys.rawValue)
        content.append(little: UInt64(keys.count), bytes: 4)
        for key in keys { content.append(little: key, bytes: 8) }
    }

    /// The records with a value, in the shortest of three forms.
    private func appendPlaces(of count: Int, to bytes: inout [UInt8]) {
        bytes.append(little: UInt64(count), bytes: 4)
        bytes.append(little: UInt64(places.count), bytes: 4)
        if places.count == count { return bytes.append(StoredPlaces.all.rawValue) }
        if places.count * 16 <= count {
            bytes.append(StoredPlaces.list.rawValue)
            for place in places { bytes.append(little: UInt64(place), bytes: 2) }
            return
        }
        bytes.append(StoredPlaces.bits.rawValue)
        var bits = [UInt8](repeating: 0, count: (count + 7) / 8)
        for place in places { bits[Int(place) / 8] |= 1 << UInt8(place % 8) }
        bytes += bits
    }
}

/// A column as the index has it: which record has which value, and the values.
struct StoredColumn {
    var name: String
    var codes: [UInt8]
    var content: [UInt8]

    /// The parts with their checksums.
    func sealed(in extent: Int64) -> StoredColumn {
        var sealed = self
        sealed.codes.append(little: UInt64(Self.checksum(of: codes, "codes", name, extent)), bytes: 4)
        sealed.content.append(little: UInt64(Self.checksum(of: content, "content", name, extent)), bytes: 4)
        return sealed
    }

    /// CRC-32C of the part, and of its place, so that another one's bytes are no part of this one.
    private static func checksum(of part: [UInt8], _ kind: String, _ name: String, _ extent: Int64) -> UInt32 {
        part.withUnsafeBytes { checksum(of: $0, kind, name, extent) }
    }

    private static func checksum(
        of part: UnsafeRawBufferPointer, _ kind: String, _ name: String, _ extent: Int64
    ) -> UInt32 {
        let crc = daybook_crc32c(0, part.baseAddress, part.count)
        let place = Array("\(extent) \(kind) \(name)".utf8)
        return place.withUnsafeBytes { daybook_crc32c(crc, $0.baseAddress, $0.count) }
    }

    /// The part without its checksum.
    /// - Throws: ``ColumnBytes/Damage`` if it differs.
    static func opened(
        _ part: UnsafeRawBufferPointer, _ kind: String, _ name: String, in extent: Int64
    ) throws(ColumnBytes.Damage) -> UnsafeRawBufferPointer {
        guard part.count >= 4 else { throw ColumnBytes.Damage() }
        let body = UnsafeRawBufferPointer(rebasing: part[..<(part.count - 4)])
        let noted = UInt32(littleEndian: part.loadUnaligned(fromByteOffset: body.count, as: UInt32.self))
        guard checksum(of: body, kind, name, extent) == noted else { throw ColumnBytes.Damage() }
        return body
    }
}

/// How a stored column tells which records have a value.
enum StoredPlaces: UInt8 { case all, bits, list }

/// How a stored column has its values.
enum StoredValues: UInt8 {
    case texts, integers, keys

    /// Texts of up to 64 KiB, or 8 bytes for each record that has one, are stored; of more only the keys are.
    static let mostBytes = 64 << 10
    static let bytesPerRecord = 8
}

extension SliceColumn {
    /// Reads a stored column.
    /// - Throws: ``ColumnBytes/Damage`` if a part is not what was written.
    init(codes: UnsafeRawBufferPointer, values: UnsafeRawBufferPointer, isJSON: Bool) throws(ColumnBytes.Damage) {
        var (head, body) = (ColumnBytes(codes), ColumnBytes(values))
        let (count, present) = (try head.number(), try head.number())
        guard count <= IndexExtent.size, present <= count, let form = StoredPlaces(rawValue: try head.byte()),
            let kind = StoredValues(rawValue: try body.byte())
        else { throw ColumnBytes.Damage() }
        let places = try Self.places(form, &head, count, present)
        let different = try body.number()
        guard different <= present, kind == .texts || different == present else { throw ColumnBytes.Damage() }
        let numbers: [UInt16]?
        switch kind {
        case .integers:
            self.values = .integers(try body.integers(different))
            numbers = nil
        case .keys:
            self.values = .keys(try body.words(different))
            numbers = nil
        case .texts:
            numbers = try head.codes(present, below: different, first: 1)
            let table = try TextTable(&body, different)
            self.values = isJSON ? .json(table) : .texts(table)
        }
        self.codes = Self.spread(numbers, over: places, count, present)
    }

    private static func places(
        _ form: StoredPlaces, _ bytes: inout ColumnBytes, _ count: Int, _ present: Int
    ) throws(ColumnBytes.Damage) -> [UInt16]? {
        var places: [UInt16] = []
        switch form {
        case .all:
            guard present == count else { throw ColumnBytes.Damage() }
            return nil
        case .list: places = try bytes.shorts(present)
        case .bits:
            places.reserveCapacity(present)
            for (index, byte) in try bytes.array((count + 7) / 8).enumerated() {
                var rest = byte
                while rest != 0 {
                    places.append(UInt16(truncatingIfNeeded: index * 8 + rest.trailingZeroBitCount))
                    rest &= rest &- 1
                }
            }
        }
        guard places.count == present, places.allSatisfy({ $0 < count }) else { throw ColumnBytes.Damage() }
        return places
    }

    /// - Parameters:
    ///   - numbers: From 1; `nil` if each record has a value of its own.
    ///   - places: All below `count`, which makes writing to them sound; `nil` for all.
    private static func spread(
        _ numbers: [UInt16]?, over places: [UInt16]?, _ count: Int, _ present: Int
    ) -> [UInt16] {
        let numbers = numbers ?? (0..<present).map { UInt16($0 + 1) }
        guard let places else { return numbers }
        var codes = [UInt16](repeating: 0, count: count)
        codes.withUnsafeMutableBufferPointer { codes in
            for (place, number) in zip(places, numbers) { codes[Int(place)] = number }
        }
        return codes
    }
}
