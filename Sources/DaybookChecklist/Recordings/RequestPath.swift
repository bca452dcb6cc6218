/// The address of a request without its host, taken apart.
package struct RequestPath: Sendable {
    /// Percent-decoded.
    package let segments: [String]
    /// As it was sent.
    package let query: String
    private let isFolder: Bool

    /// - Parameter target: the path and, behind a `?`, the query, percent-encoded.
    package init(_ target: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        segments = (parts.first ?? "").split(separator: "/").map { FormText.decoded($0.utf8) }
        query = parts.count > 1 ? String(parts[1]) : ""
        isFolder = parts.first?.hasSuffix("/") == true
    }

    /// Whether the path is as `pattern` says: `*` stands for one segment, `/**` at the end for any number.
    package func matches(_ pattern: String) -> Bool {
        var terms = pattern.split(separator: "/").map(String.init)
        let isOpen = terms.last == "**"
        if isOpen { terms.removeLast() }
        guard segments.count == terms.count || isOpen && segments.count > terms.count else { return false }
        if !isOpen, !segments.isEmpty, isFolder != pattern.hasSuffix("/") { return false }
        return zip(terms, segments).allSatisfy { $0 == "*" || $0 == $1 }
    }
}

/// `a=1&b=two+words`, the text of queries and forms.
enum FormText {
    /// The most parameters of one text.
    static let mostParameters = 100_000

    /// The parameters; `nil` where there are too many.
    static func attributes(_ text: String) -> Attributes? {
        var members = LastMembers()
        var count = 0
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest.dropFirst(pair.count + 1)
            if pair.isEmpty { continue }
            count += 1
            guard count <= mostParameters else { return nil }
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            members.add(decoded(name, isForm: true), .string(decoded(pair.dropFirst(name.count + 1), isForm: true)))
        }
        return members.attributes
    }

    /// Percent signs with two hexadecimal digits are bytes; what is no UTF-8 is replaced.
    /// - Parameter isForm: whether a plus stands for a space. Default: no.
    static func decoded(_ text: Substring.UTF8View, isForm: Bool = false) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(isForm && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Members of an object that is put together; of one given twice the last counts, in the place of the first. In linear
/// time, for senders choose how many there are.
struct LastMembers {
    private var elements: [Attributes.Element] = []
    private var places: [String: Int] = [:]

    var attributes: Attributes {
        var attributes = Attributes()
        attributes.elements = elements
        return attributes
    }

    mutating func add(_ key: String, _ value: Value) {
        if let place = places[key] {
            elements[place].value = value
        } else {
            places[key] = elements.count
            elements.append(Attributes.Element(key, value))
        }
    }
}
