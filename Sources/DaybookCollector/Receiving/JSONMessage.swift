import DaybookBase

/// A JSON object read as a protobuf message: names in camelCase, 64-bit integers as text or numbers, identifiers in
/// hexadecimal, enums as numbers or their names, unknown names passed over. Absent and `null` are the default value.
///
/// Source: OTLP Specification, *JSON Protobuf Encoding*.
package struct JSONMessage {
    private let object: Attributes

    init(_ value: Value) throws(OTLPError) {
        guard case .object(let object) = value else { throw OTLPError("An object is expected.") }
        self.object = object
    }

    /// Decodes a whole document.
    static func document(_ bytes: [UInt8]) throws(OTLPError) -> JSONMessage {
        do throws(JSONError) {
            return try JSONMessage.checked(try JSONReader.value(of: bytes)).get()
        } catch {
            throw OTLPError(error.description, isLimit: error.isLimit && error.reason == "too many values")
        }
    }

    private static func checked(_ value: Value) -> Result<JSONMessage, JSONError> {
        guard case .object(let object) = value else {
            return .failure(JSONError("the document is not an object", 0))
        }
        return .success(JSONMessage(object: object))
    }

    private init(object: Attributes) { self.object = object }

    private func member(_ key: String) -> Value? {
        guard let value = object[key], value != .null else { return nil }
        return value
    }

    func string(_ key: String) throws(OTLPError) -> String {
        switch member(key) {
        case nil: return ""
        case .string(let text): return text
        default: throw OTLPError("A text is expected.", path: key)
        }
    }

    func unsigned(_ key: String) throws(OTLPError) -> UInt64 {
        switch member(key) {
        case nil: return 0
        case .int(let integer) where integer >= 0: return UInt64(integer)
        case .string(let text):
            if let integer = UInt64(text) { return integer }
        case .double(let double):
            if let integer = UInt64(exactly: double) { return integer }
        default: break
        }
        throw OTLPError("A non-negative integer is expected, or its text.", path: key)
    }

    /// The number of an enum's value. OTLP wants the number; protobuf's own JSON mapping writes the name.
    func enumeration(_ key: String, _ names: EnumNames) throws(OTLPError) -> Int32 {
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

    /// The bytes of an identifier; none where it is not in hexadecimal digits.
    func identifier(_ key: String) throws(OTLPError) -> [UInt8] { Hex.bytes(try string(key)) ?? [] }

    /// Reads the member as a message of its own; `nil` where it is absent.
    func message<Result>(
        _ key: String, _ read: (JSONMessage) throws(OTLPError) -> Result
    ) throws(OTLPError) -> Result? {
        guard let value = member(key) else { return nil }
        do throws(OTLPError) {
            return try read(try JSONMessage(value))
        } catch {
            throw error.within(key)
        }
    }

    /// Reads each element of an array member, one after another.
    func forEach(_ key: String, _ read: (JSONMessage) throws(OTLPError) -> Void) throws(OTLPError) {
        guard let value = member(key) else { return }
        guard case .array(let elements) = value else { throw OTLPError("An array is expected.", path: key) }
        for (index, element) in elements.enumerated() {
            do throws(OTLPError) {
                try read(try JSONMessage(element))
            } catch {
                throw error.within("\(key)[\(index)]")
            }
        }
    }

    /// Reads each element of an array member.
    func messages<Result>(
        _ key: String, _ read: (JSONMessage) throws(OTLPError) -> Result
    ) throws(OTLPError) -> [Result] {
        var results: [Result] = []
        results.reserveCapacity(count(key))
        try forEach(key) { message throws(OTLPError) in results.append(try read(message)) }
        return results
    }

    /// How many elements an array member has.
    func count(_ key: String) -> Int {
        guard case .array(let elements)? = member(key) else { return 0 }
        return elements.count
    }

    func attributes(_ key: String) throws(OTLPError) -> Attributes {
        var attributes = Attributes()
        attributes.elements = try messages(key) { pair throws(OTLPError) in
            Attributes.Element(try pair.string("key"), try pair.value("value") ?? .null)
        }
        return attributes
    }

    /// The attributes of a record.
    func attributes(_ key: String, into attributes: inout WireAttributes) throws(OTLPError) {
        try forEach(key) { pair throws(OTLPError) in
            let key = attributes.lend(try pair.string("key"))
            attributes.append(WireAttribute(key: key, value: attributes.lend(try pair.value("value") ?? .null)))
        }
    }

    /// A member that is an `AnyValue`; `nil` where it is absent.
    func value(_ key: String) throws(OTLPError) -> Value? {
        try message(key) { value throws(OTLPError) in try value.anyValue() }
    }

    /// `AnyValue`. The document's depth is capped, and so is this recursion.
    private func anyValue() throws(OTLPError) -> Value {
        for element in object.elements where element.value != .null {
            switch element.key {
            case "stringValue": return .string(try string("stringValue"))
            case "boolValue":
                guard case .bool = element.value else {
                    throw OTLPError("true or false is expected.", path: element.key)
                }
                return element.value
            case "intValue": return .int(try signed(element))
            case "doubleValue": return .double(try double(element))
            case "bytesValue":
                guard let bytes = Base64.decode(try string("bytesValue")) else {
                    throw OTLPError("Base64 is expected.", path: element.key)
                }
                return .bytes(bytes)
            case "arrayValue":
                let values = try message("arrayValue") { array throws(OTLPError) in
                    try array.messages("values") { value throws(OTLPError) in try value.anyValue() }
                }
                return .array(values ?? [])
            case "kvlistValue":
                let list = try message("kvlistValue") { list throws(OTLPError) in try list.attributes("values") }
                return .object(list ?? Attributes())
            default: continue
            }
        }
        return .null
    }

    private func signed(_ element: Attributes.Element) throws(OTLPError) -> Int64 {
        switch element.value {
        case .int(let integer): return integer
        case .string(let text):
            if let integer = Int64(text) { return integer }
        case .double(let double):
            if let integer = Int64(exactly: double) { return integer }
        default: break
        }
        throw OTLPError("A 64-bit integer is expected, or its text.", path: element.key)
    }

    private func double(_ element: Attributes.Element) throws(OTLPError) -> Double {
        switch element.value {
        case .double(let double): return double
        case .int(let integer): return Double(integer)
        case .string("NaN"): return .nan
        case .string("Infinity"): return .infinity
        case .string("-Infinity"): return -.infinity
        case .string(let text):
            if let double = Double(text) { return double }
        default: break
        }
        throw OTLPError("A number is expected, or its text.", path: element.key)
    }
}

/// The names of an enum's values in protobuf's JSON mapping.
struct EnumNames: Sendable {
    /// One of them, for an error.
    let example: String
    private let numbers: [String: Int32]

    /// - Parameters:
    ///   - prefix: what each name begins with: `SPAN_KIND_`.
    ///   - names: the rest of each name, in the order of the numbers from 0.
    init(_ prefix: String, _ names: [String]) {
        example = prefix + (names.last ?? "")
        numbers = Dictionary(
            uniqueKeysWithValues: names.enumerated().map { (prefix + $1, Int32($0)) })
    }

    func number(of name: String) -> Int32? { numbers[name] }
}

extension EnumNames {
    /// `SEVERITY_NUMBER_ERROR`, `SEVERITY_NUMBER_ERROR2`, …: four of each level.
    static let severity = EnumNames(
        "SEVERITY_NUMBER_",
        ["UNSPECIFIED"]
            + ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"].flatMap { level in
                [level] + (2...4).map { "\(level)\($0)" }
            })
    static let spanKind = EnumNames(
        "SPAN_KIND_", ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"])
    static let status = EnumNames("STATUS_CODE_", ["UNSET", "OK", "ERROR"])
}
