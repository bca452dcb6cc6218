import DaybookBase
import DaybookTools

/// Reads members of a line's object; `null` counts as absent.
struct LineFields {
    let object: Attributes

    func text(_ key: String) throws(RecordLineError) -> String? {
        switch object[key] {
        case nil, .null: return nil
        case .string(let text): return text
        default: throw RecordLineError("\"\(key)\" must be a text.")
        }
    }

    /// A text to count by, cut to a storable name.
    func name(_ key: String) throws(RecordLineError) -> String? { try text(key)?.storableName }

    /// An identifier's lowercase digits; `nil` if all zero.
    func identifier(_ key: String, _ identifier: WireIdentifier) throws(RecordLineError) -> String? {
        switch identifier.reading(text: try text(key) ?? "") {
        case .absent: return nil
        case .bytes(let bytes): return bytes.withUnsafeBytes { identifier.text($0) }
        case .text:
            let count = identifier.count
            throw RecordLineError("\"\(key)\" must be \(2 * count) hexadecimal digits, or base64 of \(count) bytes.")
        }
    }

    func integer(_ key: String) throws(RecordLineError) -> Int64? {
        switch object[key] {
        case nil, .null: return nil
        case .int(let integer): return integer
        default: throw RecordLineError("\"\(key)\" must be a whole number.")
        }
    }

    /// Numbers beyond 63 bits, as foreign uids may seem to have, are ignored.
    func sequence(_ key: String) throws(RecordLineError) -> UInt64? {
        // Such a number is read as a text.
        if case .string(let digits) = object[key], UInt64(digits) ?? 0 > Int64.max { return nil }
        guard let number = try integer(key) else { return nil }
        guard number >= 0 else { throw RecordLineError("\"\(key)\" must be a whole number from 0.") }
        return UInt64(number)
    }

    func time(_ key: String) throws(RecordLineError) -> Int64? {
        switch object[key] {
        case nil, .null: return nil
        case let value?:
            if let time = ReadTime.nanoseconds(of: value) { return time }
            throw RecordLineError("\"\(key)\" must be a time: \(ReadTime.problem(of: value)).")
        }
    }

    func kind() throws(RecordLineError) -> Kind? {
        guard let name = try text("kind") else { return nil }
        if let kind = Kind(rawValue: name) { return kind }
        let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw RecordLineError("\"kind\" is \"\(name.cut(toUTF8Bytes: 100))\", and must be one of \(names).")
    }

    func level() throws(RecordLineError) -> Int? {
        guard let value = object["level"], value != .null else { return nil }
        if let number = Severity.number(of: value) { return number }
        throw RecordLineError("\"level\" must be one of \(Severity.description).")
    }

    /// The level of a record without one: info, or higher if it reports a failure.
    func impliedLevel(of kind: Kind, tag: String) -> Int {
        var implied = ImpliedLevel()
        if kind == .error { implied.addFailure() }
        if kind != .message, kind != .run { implied.add(event: tag) }
        if case .object(let attributes)? = object["attributes"] { implied.add(attributes) }
        return implied.number ?? Int(Level.info.rawValue)
    }

    func objectText(_ key: String) throws(RecordLineError) -> String {
        switch object[key] {
        case nil, .null: return "{}"
        case .object(let attributes): return JSONWriter.text(attributes)
        default: throw RecordLineError("\"\(key)\" must be an object.")
        }
    }
}
