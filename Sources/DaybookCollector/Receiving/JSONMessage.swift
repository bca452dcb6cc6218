import DaybookBase
import DaybookTools

/// A JSON object read as a protobuf message: names in camelCase or in proto spelling, 64-bit integers as strings or
/// numbers, enums as numbers or names. Absent and `null` are the default value.
///
/// Members unread at the end of the message are counted as unknown. Source: OTLP Specification, *JSON Protobuf
/// Encoding*; protobuf.dev, *ProtoJSON Format*.
package struct JSONMessage {
    /// The message type, for counts: `logRecord`.
    private let name: String
    private let object: [Attributes.Element]
    /// Whether names may be in proto spelling.
    private let mayBeSnakeCase: Bool
    /// A bit for each of the first 64 members that was read; honest messages have no more.
    private var isRead: UInt64 = 0
    private var isReadBeyond: Set<Int> = []
    private(set) var unread = Unread()

    private init(_ object: Attributes, _ name: String) {
        self.name = name
        self.object = object.elements
        mayBeSnakeCase = self.object.contains { $0.key.utf8.contains(UInt8(ascii: "_")) }
    }

    private init(_ value: Value, _ name: String) throws(OTLPError) {
        guard case .object(let object) = value else { throw OTLPError("An object is expected.") }
        self.init(object, name)
    }

    static func document(_ bytes: [UInt8]) throws(OTLPError) -> JSONMessage {
        let value: Value
        var flaws = TextFlaws()
        do throws(JSONError) {
            value = try JSONReader.value(of: bytes, noting: &flaws)
        } catch {
            throw OTLPError(error.description, isLimit: error.isLimit && error.reason == "too many values")
        }
        guard case .object(let object) = value else {
            throw OTLPError("Not a request: the document is not an object.")
        }
        var message = JSONMessage(object, "request")
        // Report flaws without a location: one sender wrote the whole document.
        message.unread.add(flaws, of: message.name)
        return message
    }

    /// Names of members with a value, as written.
    var names: [String] { object.filter { $0.value != .null }.map(\.key) }

    /// A member's value; marks it as read. Of duplicates, the last counts.
    private mutating func member(_ key: String) -> Value? {
        let place = object.lastIndex { isName($0.key, key) && $0.value != .null }
        guard let place else { return nil }
        if place < 64 { isRead |= 1 << UInt64(place) } else { isReadBeyond.insert(place) }
        return object[place].value
    }

    func has(_ key: String) -> Bool { object.contains { isName($0.key, key) && $0.value != .null } }

    private func isName(_ given: String, _ key: String) -> Bool {
        if given == key { return true }
        guard mayBeSnakeCase else { return false }
        var rest = key.utf8[...]
        var isRaised = false
        for unit in given.utf8 {
            if unit == UInt8(ascii: "_") {
                isRaised = true
                continue
            }
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(unit)
            guard rest.popFirst() == (isRaised && isLetter ? unit - 32 : unit) else { return false }
            isRaised = false
        }
        return rest.isEmpty
    }

    /// Counts a member with a meaningless value.
    mutating func count(unread key: String) { unread.add("\(name).\(key)") }

    /// Whether a member equals its default: some writers write every field.
    private static func isDefault(_ value: Value) -> Bool {
        [.null, .int(0), .double(0), .string(""), .string("0"), .bool(false), .array([])].contains(value)
    }

    private func isRead(at place: Int) -> Bool {
        place < 64 ? isRead & 1 << UInt64(place) != 0 : isReadBeyond.contains(place)
    }

    /// Counts unread members; marks duplicates as such.
    fileprivate mutating func end() {
        if isRead.nonzeroBitCount + isReadBeyond.count == object.count { return }
        let read = object.indices.filter(isRead(at:)).map { object[$0].key }
        for (place, element) in object.enumerated() where !isRead(at: place) && !Self.isDefault(element.value) {
            // Only one alternative of a value is read.
            let isTwice =
                read.contains { isName(element.key, $0) || isName($0, element.key) }
                || name == Self.valueName && Self.alternatives.contains { isName(element.key, $0) }
            count(unread: isTwice ? "\(element.key) given twice" : element.key)
        }
    }

    mutating func string(_ key: String) throws(OTLPError) -> String {
        switch member(key) {
        case nil: return ""
        case .string(let text): return text
        default: throw OTLPError("A text is expected.", path: key)
        }
    }

    /// A 32-bit number; larger ones are clamped and counted.
    mutating func count32(_ key: String) throws(OTLPError) -> UInt32 {
        let number: UInt64? =
            switch member(key) {
            case nil: 0
            case .int(let integer): UInt64(exactly: integer)
            case .string(let text): UInt64(text)
            case .double(let double): UInt64(exactly: double)
            default: nil
            }
        guard let number else { throw OTLPError("A non-negative integer is expected, or its text.", path: key) }
        if number > UInt32.max { count(unread: "\(key) beyond 32 bits") }
        return UInt32(clamping: number)
    }

    mutating func strings(_ key: String) throws(OTLPError) -> [String] {
        guard let value = member(key) else { return [] }
        guard case .array(let elements) = value else { throw OTLPError("An array is expected.", path: key) }
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element else { throw OTLPError("Texts are expected.", path: key) }
            texts.append(text)
        }
        return texts
    }

    /// An enum value. OTLP specifies numbers; protobuf's own JSON mapping writes names.
    mutating func enumeration(_ key: String, _ names: EnumNames) throws(OTLPError) -> Int32 {
        switch member(key) {
        case nil: return 0
        case .int(let integer):
            if let small = Int32(exactly: integer) { return small }
        case .string(let text):
            if let number = Int32(text) ?? names.number(of: text) { return number }
        case .double(let double):
            if let small = Int32(exactly: double) { return small }
        default: break
        }
        throw OTLPError("A number is expected, or a name such as \(names.example).", path: key)
    }

    /// A severity number, from any of its names; numbers beyond 24 pass through.
    mutating func severity(_ key: String) throws(OTLPError) -> Int32 {
        guard let value = member(key) else { return 0 }
        if let number = Severity.number(of: value) { return Int32(number) }
        switch value {
        case .int(let number): if let small = Int32(exactly: number) { return small }
        case .string(let text): if let small = Int32(text) { return small }
        case .double(let number): if let small = Int32(exactly: number) { return small }
        default: break
        }
        throw OTLPError("A severity is expected: \(Severity.description).", path: key)
    }

    /// Nanoseconds since 1970; 0 if absent.
    mutating func time(_ key: String) throws(OTLPError) -> Int64 {
        guard let value = member(key) else { return 0 }
        let number: Int64? =
            switch value {
            case .int(let number): number
            case .string(let digits): Int64(digits)
            case .double(let number): Int64(exactly: number)
            default: nil
            }
        if let number { return ReadTime.nanoseconds(ofOTLP: number) }
        if let time = ReadTime.nanoseconds(of: value) { return time }
        throw OTLPError("A time is expected: \(ReadTime.problem(of: value)).", path: key)
    }

    /// The bytes of an identifier; an invalid one is counted and stays text.
    mutating func identifier(_ identifier: WireIdentifier) throws(OTLPError) -> WireIdentifier.Reading {
        let reading = identifier.reading(text: try string(identifier.name))
        if case .text = reading { count(unread: identifier.name) }
        return reading
    }

    /// Reads a member as a message; `nil` if absent.
    /// - Parameter name: the message type.
    mutating func message<Result>(
        _ key: String, _ name: String, _ read: (inout JSONMessage) throws(OTLPError) -> Result
    ) throws(OTLPError) -> Result? {
        guard let value = member(key) else { return nil }
        do throws(OTLPError) {
            return try self.read(value, name, read)
        } catch {
            throw error.within(key)
        }
    }

    mutating func forEach(
        _ key: String, _ name: String, _ read: (inout JSONMessage) throws(OTLPError) -> Void
    ) throws(OTLPError) {
        guard let value = member(key) else { return }
        guard case .array(let elements) = value else { throw OTLPError("An array is expected.", path: key) }
        for (index, element) in elements.enumerated() {
            do throws(OTLPError) {
                try self.read(element, name, read)
            } catch {
                throw error.within("\(key)[\(index)]")
            }
        }
    }

    private mutating func read<Result>(
        _ value: Value, _ name: String, _ read: (inout JSONMessage) throws(OTLPError) -> Result
    ) throws(OTLPError) -> Result {
        var message = try JSONMessage(value, name)
        let result = try read(&message)
        message.end()
        if !message.unread.isEmpty { unread.add(message.unread) }
        return result
    }

    /// Reads the document, then counts what was not read.
    mutating func readAll(_ read: (inout JSONMessage) throws(OTLPError) -> Void) throws(OTLPError) {
        try read(&self)
        end()
    }

    mutating func messages<Result>(
        _ key: String, _ name: String, _ read: (inout JSONMessage) throws(OTLPError) -> Result
    ) throws(OTLPError) -> [Result] {
        var results: [Result] = []
        results.reserveCapacity(count(key))
        try forEach(key, name) { message throws(OTLPError) in results.append(try read(&message)) }
        return results
    }

    mutating func count(_ key: String) -> Int {
        guard case .array(let elements)? = member(key) else { return 0 }
        return elements.count
    }

    mutating func attributes(_ key: String) throws(OTLPError) -> Attributes {
        var attributes = Attributes()
        attributes.elements = try messages(key, "keyValue") { pair throws(OTLPError) in
            Attributes.Element(try pair.string("key"), try pair.value("value") ?? .null)
        }
        return attributes
    }

    mutating func attributes(_ key: String, into attributes: inout WireAttributes) throws(OTLPError) {
        try forEach(key, "keyValue") { pair throws(OTLPError) in
            let key = attributes.lend(try pair.string("key"))
            attributes.append(WireAttribute(key: key, value: attributes.lend(try pair.value("value") ?? .null)))
        }
    }

    /// An `AnyValue` member; `nil` if absent.
    mutating func value(_ key: String) throws(OTLPError) -> Value? {
        try message(key, Self.valueName) { value throws(OTLPError) in try value.anyValue() }
    }

    private static let valueName = "anyValue"
    private static let alternatives = [
        "stringValue", "intValue", "boolValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue",
    ]

    /// Recursion is bounded by the document's depth limit.
    private mutating func anyValue() throws(OTLPError) -> Value {
        guard let key = Self.alternatives.first(where: { has($0) }) else { return .null }
        switch key {
        case "stringValue": return .string(try string(key))
        case "intValue": return .int(try signed(key))
        case "boolValue":
            guard case .bool(let bool)? = member(key) else { throw OTLPError("true or false is expected.", path: key) }
            return .bool(bool)
        case "doubleValue": return .double(try double(key))
        case "arrayValue":
            let values = try message(key, key) { array throws(OTLPError) in
                try array.messages("values", Self.valueName) { value throws(OTLPError) in try value.anyValue() }
            }
            return .array(values ?? [])
        case "kvlistValue":
            let list = try message(key, key) { list throws(OTLPError) in try list.attributes("values") }
            return .object(list ?? Attributes())
        default:
            guard let bytes = Base64.decode(try string(key)) else {
                throw OTLPError("Base64 is expected.", path: key)
            }
            return .bytes(bytes)
        }
    }

    private mutating func signed(_ key: String) throws(OTLPError) -> Int64 {
        switch member(key) {
        case .int(let integer): return integer
        case .string(let text):
            if let integer = Int64(text) { return integer }
        case .double(let double):
            if let integer = Int64(exactly: double) { return integer }
        default: break
        }
        throw OTLPError("A 64-bit integer is expected, or its text.", path: key)
    }

    private mutating func double(_ key: String) throws(OTLPError) -> Double {
        switch member(key) {
        case .double(let double): return double
        case .int(let integer): return Double(integer)
        case .string("NaN"): return .nan
        case .string("Infinity"): return .infinity
        case .string("-Infinity"): return -.infinity
        case .string(let text):
            if let double = Double(text) { return double }
        default: break
        }
        throw OTLPError("A number is expected, or its text.", path: key)
    }
}

/// Names of an enum's values in protobuf's JSON mapping.
struct EnumNames: Sendable {
    let example: String
    private let prefix: String
    private let numbers: [String: Int32]

    /// - Parameters:
    ///   - prefix: of each name: `SPAN_KIND_`.
    ///   - names: the rest of each name, in order of number from 0.
    init(_ prefix: String, _ names: [String]) {
        self.prefix = prefix
        example = prefix + (names.last ?? "")
        numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, Int32($0)) })
    }

    /// Case-insensitive; the prefix is optional.
    func number(of name: String) -> Int32? {
        let name = name.uppercased()
        return numbers[name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name]
    }
}

extension EnumNames {
    static let spanKind = EnumNames(
        "SPAN_KIND_", ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"])
    static let status = EnumNames("STATUS_CODE_", ["UNSET", "OK", "ERROR"])
    /// gRPC's codes, which spans had earlier.
    static let deprecatedStatus = EnumNames(
        "DEPRECATED_STATUS_CODE_",
        [
            "OK", "CANCELLED", "UNKNOWN_ERROR", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
            "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
            "UNIMPLEMENTED", "INTERNAL_ERROR", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
        ])
}
