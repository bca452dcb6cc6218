import DaybookBase
import DaybookTools

/// The members of a JSON object that a request carries. What is asked for is what there may be: any other member, one of
/// another type and an empty text are refused by name, so that nothing of a request is dropped without a word.
package struct RequestBody {
    /// Bytes of a name: of a persona, a tester, a build, a device.
    package static let longestName = 200

    private let members: Attributes
    /// Before the names of members in messages: where they are.
    private let place: String
    private var known: Set<String> = []
    private var problem: String?

    private init(_ members: Attributes, in place: String) { (self.members, self.place) = (members, place) }

    /// What `read` makes of the body's members, all of which it asks for.
    /// - Parameters:
    ///   - bytes: one JSON object.
    ///   - expected: one line that says what the body is to be, for what is no object.
    ///   - read: asks for each member that the body may have. What it makes of a body with a fault is not used.
    /// - Throws: ``HTTPRoutingError/badRequest(_:)`` that names what is wrong.
    package static func read<Body>(
        _ bytes: [UInt8], _ expected: String, _ read: (inout RequestBody) -> Body
    ) throws(HTTPRoutingError) -> Body {
        guard case .object(let members)? = try? JSONReader.value(of: bytes) else { throw .badRequest(expected) }
        var reader = RequestBody(members, in: "")
        let body = read(&reader)
        if let fault = reader.fault { throw .badRequest(fault) }
        return body
    }

    /// The version of a file that a request is made over, where that is all that the body may have; `nil` where it has none.
    /// - Throws: as ``read(_:_:_:)``.
    package static func version(_ bytes: [UInt8]) throws(HTTPRoutingError) -> String? {
        guard !bytes.isEmpty else { return nil }
        return try read(bytes, "The body is empty or a JSON object: {\"version\": \"…\"}.") {
            $0.text(ifAny: "version")
        }
    }

    /// A text that must be there.
    /// - Parameters:
    ///   - limit: bytes at most; `nil` for no other limit than the body's. Default: those of a name.
    ///   - mayBeEmpty: whether an empty text has a meaning. Default: `false`.
    package mutating func text(_ name: String, limit: Int? = longestName, mayBeEmpty: Bool = false) -> String {
        if let text = text(ifAny: name, limit: limit, mayBeEmpty: mayBeEmpty) { return text }
        noteMissing(name, "a text")
        return ""
    }

    /// A text; `nil` where it is left out or null.
    /// - Parameters:
    ///   - limit: bytes at most; `nil` for no other limit than the body's. Default: those of a name.
    ///   - mayBeEmpty: whether an empty text has a meaning. Default: `false`.
    package mutating func text(
        ifAny name: String, limit: Int? = longestName, mayBeEmpty: Bool = false
    ) -> String? {
        guard let value = value(name) else { return nil }
        return checked(value, "\(place)\(name)", limit: limit, mayBeEmpty: mayBeEmpty)
    }

    /// A whole number, or its digits as a text, as answers have what JavaScript would round; `nil` where it is left out or
    /// null.
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

    /// Texts that must be there, none of them empty.
    /// - Parameter limit: bytes of each at most; `nil` for no other limit than the body's.
    package mutating func texts(_ name: String, limit: Int?) -> [String] {
        if let texts = texts(ifAny: name, limit: limit) { return texts }
        noteMissing(name, "a list of texts")
        return []
    }

    /// Texts, none of them empty; `nil` where they are left out or null.
    /// - Parameter limit: bytes of each at most; `nil` for no other limit than the body's.
    package mutating func texts(ifAny name: String, limit: Int?) -> [String]? {
        elements(name, "a list of texts")?.enumerated().compactMap { index, element in
            checked(element, "\(place)\(name)[\(index)]", limit: limit, mayBeEmpty: false)
        }
    }

    /// What `read` makes of each object of a list; `nil` where it is left out or null.
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

    /// What is wrong: a name that is not known comes before what is missing because of it.
    private var fault: String? {
        if let unknown = members.elements.first(where: { !known.contains($0.key) }) {
            return NearestName.unknown("member", unknown.key, among: known, in: place)
        }
        if let name = members.repeatedNames.first { return "“\(place)\(name)” is given twice." }
        return problem
    }

    /// `nil` for null as well.
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

    /// The first one is told.
    private mutating func note(_ problem: String) {
        if self.problem == nil { self.problem = problem }
    }
}
