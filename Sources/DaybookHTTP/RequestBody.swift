import DaybookBase
import DaybookTools

/// Reads a request's JSON object strictly. The members asked for are the ones permitted: any other, one of another
/// type, and an empty text are refused by name, so that nothing is ignored silently.
package struct RequestBody {
    /// In bytes: for names of personas, testers, builds and devices.
    package static let longestName = 200

    private let members: Attributes
    /// The path prefix of member names in messages.
    private let place: String
    private var known: Set<String> = []
    private var problem: String?

    private init(_ members: Attributes, in place: String) { (self.members, self.place) = (members, place) }

    /// Reads the body's members through `read`.
    /// - Parameters:
    ///   - bytes: one JSON object.
    ///   - expected: a one-line description of the body, for the error if it is not an object.
    ///   - read: asks for each permitted member. Its result is discarded if the body is invalid.
    /// - Throws: ``HTTPRoutingError/badRequest(_:)`` that names the error.
    package static func read<Body>(
        _ bytes: [UInt8], _ expected: String, _ read: (inout RequestBody) -> Body
    ) throws(HTTPRoutingError) -> Body {
        guard case .object(let members)? = try? JSONReader.value(of: bytes) else { throw .badRequest(expected) }
        var reader = RequestBody(members, in: "")
        let body = read(&reader)
        if let fault = reader.fault { throw .badRequest(fault) }
        return body
    }

    /// The file version in a body that may have only that; `nil` if absent.
    /// - Throws: as ``read(_:_:_:)``.
    package static func version(_ bytes: [UInt8]) throws(HTTPRoutingError) -> String? {
        guard !bytes.isEmpty else { return nil }
        return try read(bytes, "The body is empty or a JSON object: {\"version\": \"…\"}.") {
            $0.text(ifAny: "version")
        }
    }

    /// A required text.
    /// - Parameters:
    ///   - limit: in bytes; `nil` for only the body's limit. Default: a name's.
    ///   - mayBeEmpty: whether an empty text is permitted. Default: `false`.
    package mutating func text(_ name: String, limit: Int? = longestName, mayBeEmpty: Bool = false) -> String {
        if let text = text(ifAny: name, limit: limit, mayBeEmpty: mayBeEmpty) { return text }
        noteMissing(name, "a text")
        return ""
    }

    /// An optional text; `nil` if absent or null.
    /// - Parameters:
    ///   - limit: in bytes; `nil` for only the body's limit. Default: a name's.
    ///   - mayBeEmpty: whether an empty text is permitted. Default: `false`.
    package mutating func text(
        ifAny name: String, limit: Int? = longestName, mayBeEmpty: Bool = false
    ) -> String? {
        guard let value = value(name) else { return nil }
        return checked(value, "\(place)\(name)", limit: limit, mayBeEmpty: mayBeEmpty)
    }

    /// An integer, or its digits as a string, which responses use for numbers that JavaScript would round; `nil` if
    /// absent or null.
    package mutating func integer(ifAny name: String) -> Int64? {
        switch value(name) {
        case nil: return nil
        case .int(let number)?: return number
        case .double(let number)? where abs(number) < 0x1p53 && number.rounded() == number: return Int64(number)
        case .string(let digits)? where Int64(digits) != nil: return Int64(digits)
        case let other?:
            noteType("\(place)\(name)", "a whole number", other)
            return nil
        }
    }

    /// Required texts, none of them empty.
    /// - Parameter limit: bytes of each; `nil` for only the body's limit.
    package mutating func texts(_ name: String, limit: Int?) -> [String] {
        if let texts = texts(ifAny: name, limit: limit) { return texts }
        noteMissing(name, "a list of texts")
        return []
    }

    /// Optional texts, none of them empty; `nil` if absent or null.
    /// - Parameter limit: bytes of each; `nil` for only the body's limit.
    package mutating func texts(ifAny name: String, limit: Int?) -> [String]? {
        elements(name, "a list of texts")?.enumerated().compactMap { index, element in
            checked(element, "\(place)\(name)[\(index)]", limit: limit, mayBeEmpty: false)
        }
    }

    /// Reads each object of an optional list; `nil` if absent or null.
    package mutating func objects<Element>(
        ifAny name: String, _ read: (inout RequestBody) -> Element
    ) -> [Element]? {
        elements(name, "a list of objects")?.enumerated().compactMap { index, element in
            let place = "\(place)\(name)[\(index)]"
            guard case .object(let members) = element else {
                noteType(place, "an object", element)
                return nil
            }
            var reader = RequestBody(members, in: place + ".")
            let read = read(&reader)
            if let fault = reader.fault { note(fault) }
            return read
        }
    }

    /// The first problem; an unknown name precedes what is missing because of it.
    private var fault: String? {
        if let unknown = members.elements.first(where: { !known.contains($0.key) }) {
            return NearestName.unknown("member", unknown.key, among: known, in: place)
        }
        if let name = members.repeatedNames.first { return "“\(place)\(name)” is given twice." }
        return problem
    }

    /// `nil` also for null.
    private mutating func value(_ name: String) -> Value? {
        known.insert(name)
        let value = members[name]
        return value == .null ? nil : value
    }

    private mutating func elements(_ name: String, _ wanted: String) -> [Value]? {
        guard let value = value(name) else { return nil }
        if case .array(let elements) = value { return elements }
        noteType("\(place)\(name)", wanted, value)
        return nil
    }

    private mutating func checked(_ value: Value, _ name: String, limit: Int?, mayBeEmpty: Bool) -> String? {
        guard case .string(let text) = value else {
            noteType(name, "a text", value)
            return nil
        }
        if !mayBeEmpty, text.allSatisfy(\.isWhitespace) {
            note("“\(name)” is empty: give it a value, or leave it out.")
        }
        if let limit, text.utf8.count > limit { note("“\(name)” is at most \(limit) bytes.") }
        return text
    }

    private mutating func noteMissing(_ name: String, _ wanted: String) {
        note("“\(place)\(name)” is missing: \(wanted).")
    }

    private mutating func noteType(_ name: String, _ wanted: String, _ value: Value) {
        note("“\(name)” is \(wanted), not \(JSONWriter.text(value).printable.cut(toUTF8Bytes: 80)).")
    }

    /// Keeps the first.
    private mutating func note(_ problem: String) {
        if self.problem == nil { self.problem = problem }
    }
}
