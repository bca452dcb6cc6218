import DaybookBase
import DaybookOTLP

/// Builds a JSON object directly from request bytes, in a buffer reused for all records.
///
/// Invalid UTF-8 passes through and is repaired when the text is copied out. The text is the same, since the bytes that
/// JSON escapes are ASCII, which repair never touches.
struct JSONBytes {
    /// The buffer; never shorter than ``count``.
    private var memory = [UInt8](repeating: 0, count: 1_024)
    private(set) var count = 0

    mutating func truncate(to count: Int) { self.count = count }

    /// A copy in which invalid UTF-8 becomes U+FFFD and combining marks are limited.
    var string: String { String(streamSafe: memory[..<count]) }

    /// - Parameter start: the bytes before it are known to be equal.
    func isEqual(to text: String, from start: Int) -> Bool {
        var text = text
        return text.withUTF8 { units in
            guard units.count == count else { return false }
            let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(units)[start...])
            return memory.withUnsafeBytes { memory in
                WireText(UnsafeRawBufferPointer(rebasing: memory[start..<count])).isEqual(to: rest)
            }
        }
    }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        memory[count] = byte
        count += 1
    }

    private mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        memory.withUnsafeMutableBytes { $0[count...].copyBytes(from: bytes) }
        count += bytes.count
    }

    /// Appends members, each with a leading comma.
    mutating func append(members: ArraySlice<UInt8>) {
        let members = count > 1 ? members : members.dropFirst()
        members.withUnsafeBytes { append($0) }
    }

    /// Begins a member: a comma if needed, the name and a colon.
    mutating func appendName(_ key: WireText, _ name: AttributeNames.Name) {
        if count > 1 { append(UInt8(ascii: ",")) }
        guard name.isWritten else {
            append(key)
            append(UInt8(ascii: ":"))
            return
        }
        // Copying the fixed-size field costs less than branching on the used length.
        reserve(AttributeNames.Name.room)
        memory.withUnsafeMutableBytes { $0.storeBytes(of: name.member, toByteOffset: count, as: type(of: name.member)) }
        count += name.memberCount
    }

    /// As ``JSONWriter`` writes it.
    mutating func append(_ value: WireValue, of attributes: WireAttributes) {
        switch value {
        case .string(let text): append(text)
        case .int(let integer): append(integer)
        default: append(attributes.value(value))
        }
    }

    /// As ``JSONWriter`` writes it.
    mutating func append(_ value: Value) {
        var bytes: [UInt8] = []
        JSONWriter.write(value, into: &bytes)
        append(bytes)
    }

    mutating func append(_ text: WireText) {
        let units = text.bytes
        reserve(units.count + 2)
        let start = count
        let isPlain = memory.withUnsafeMutableBytes { memory in
            memory[start] = UInt8(ascii: "\"")
            memory[start + 1 + units.count] = UInt8(ascii: "\"")
            return JSONPlainText.copy(units, to: UnsafeMutableRawBufferPointer(rebasing: memory[(start + 1)...]))
        }
        if isPlain {
            count = start + units.count + 2
        } else {
            append(escaped: text.string)
        }
    }

    /// As ``JSONWriter`` writes it, but in pieces, to avoid another copy of the whole text.
    private mutating func append(escaped text: String) {
        var piece: [UInt8] = []
        append(UInt8(ascii: "\""))
        var rest = text[...]
        while !rest.isEmpty {
            var end = rest.utf8.index(rest.startIndex, offsetBy: 16_384, limitedBy: rest.endIndex) ?? rest.endIndex
            // Extend to a scalar boundary.
            while end < rest.endIndex, rest.utf8[end] & 0xC0 == 0x80 { end = rest.utf8.index(after: end) }
            piece.removeAll(keepingCapacity: true)
            JSONWriter.write(String(rest[..<end]), into: &piece)
            piece.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0[1..<($0.count - 1)])) }
            rest = rest[end...]
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func append(_ integer: Int64) {
        reserve(20)
        var rest = integer.magnitude
        var end = count + (integer < 0 ? 1 : 0)
        var power = rest
        repeat {
            end += 1
            power /= 10
        } while power > 0
        if integer < 0 { memory[count] = UInt8(ascii: "-") }
        count = end
        repeat {
            end -= 1
            memory[end] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if memory.count - count < more { grow(more) }
    }

    private mutating func grow(_ more: Int) {
        memory += [UInt8](repeating: 0, count: max(memory.count, more))
    }
}

enum JSONPlainText {
    /// Copies until the end or the first byte that needs escaping.
    /// - Returns: whether all was copied.
    static func copy(_ units: UnsafeRawBufferPointer, to memory: UnsafeMutableRawBufferPointer) -> Bool {
        var place = 0
        while units.count - place >= 8 {
            let word = units.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            guard isPlain(word) else { return false }
            memory.storeBytes(of: word, toByteOffset: place, as: UInt64.self)
            place += 8
        }
        while place < units.count {
            guard isPlain(units[place]) else { return false }
            memory[place] = units[place]
            place += 1
        }
        return true
    }

    private static func isPlain(_ unit: UInt8) -> Bool {
        unit >= 0x20 && unit != UInt8(ascii: "\"") && unit != UInt8(ascii: "\\")
    }

    /// Whether eight bytes need no escapes. `(x - bound) & ~x & 0x80` sets a byte's top bit if it is below a bound, or
    /// zero after the exclusive or. A borrow can set a wrong bit only above a right one.
    private static func isPlain(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found = ((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return found & (ones &* 0x80) == 0
    }
}
