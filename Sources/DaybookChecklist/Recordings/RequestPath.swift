import DaybookBase

/// A parsed request target.
package struct RequestPath: Sendable {
    /// Percent-decoded.
    package let segments: [String]
    /// As sent.
    package let query: String
    /// Whether the path is UTF-8; otherwise ``segments`` contain U+FFFD.
    package let isText: Bool
    private let isFolder: Bool

    /// - Parameter target: the path and, after a `?`, the query, percent-encoded.
    package init(_ target: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = (parts.first ?? "").split(separator: "/").map { FormText.bytes($0.utf8) }
        self.segments = segments.map { String(streamSafe: $0) }
        isText = segments.allSatisfy { String(wellFormed: $0) != nil }
        query = parts.count > 1 ? String(parts[1]) : ""
        isFolder = parts.first?.hasSuffix("/") == true
    }

    /// Whether the path matches `pattern`: `*` matches one segment, `/**` at the end any number.
    package func matches(_ pattern: String) -> Bool {
        var terms = pattern.split(separator: "/").map(String.init)
        let isOpen = terms.last == "**"
        if isOpen { terms.removeLast() }
        guard segments.count == terms.count || isOpen && segments.count > terms.count else { return false }
        if !isOpen, !segments.isEmpty, isFolder != pattern.hasSuffix("/") { return false }
        return zip(terms, segments).allSatisfy { $0 == "*" || $0 == $1 }
    }
}

/// `a=1&b=two+words`, the format of queries and forms.
enum FormText {
    static let mostParameters = 100_000

    /// The parameters of a form body; none if it is empty.
    /// - Throws: ``RequestRules/Problem`` that says what it is instead.
    static func members(ofBody body: [UInt8]) throws(RequestRules.Problem) -> LastMembers {
        var bytes = ByteOrderMark.skipped(body)
        while let last = bytes.last, " \t\r\n".utf8.contains(last) { bytes.removeLast() }
        guard !bytes.isEmpty else { return LastMembers() }
        if let other = otherKind(of: bytes) {
            throw RequestRules.Problem(description: "its body is neither JSON nor a form: \(other)")
        }
        return try members(bytes)
    }

    /// What a nonempty text is, if not a form.
    private static func otherKind(of bytes: ArraySlice<UInt8>) -> String? {
        if bytes.starts(with: "--".utf8) { return "it is multipart, which is not read" }
        if bytes.first == UInt8(ascii: "<") { return "it is XML or HTML, which is not read" }
        if (try? JSONReader.value(of: Array(bytes))) != nil {
            return "it is a single value of JSON; an object or a list is read"
        }
        let isOfLines = { (byte: UInt8) in byte == 0x0A || byte == 0x0D }
        if bytes.contains(where: { $0 < 0x20 && !isOfLines($0) || $0 == 0x7F }) {
            return "it has control characters, as protobuf and MessagePack do"
        }
        if String(wellFormed: bytes) == nil { return "it is not UTF-8" }
        if !bytes.contains(UInt8(ascii: "=")) { return "it is a text without `=`" }
        return bytes.contains(where: isOfLines) ? "several forms, one a line, are not read" : nil
    }

    /// - Throws: ``RequestRules/Problem`` if there are too many, or one is not UTF-8.
    static func members(_ bytes: some Collection<UInt8>) throws(RequestRules.Problem) -> LastMembers {
        var members = LastMembers()
        var count = 0
        var rest = Array(bytes)[...]
        func text(_ part: ArraySlice<UInt8>) throws(RequestRules.Problem) -> String {
            let bytes = self.bytes(part, isForm: true)
            members.flaws.formUnion(bytes.withUnsafeBytes { TextFlaws(of: $0) })
            if let text = String(wellFormed: bytes) { return text.storable }
            let beginning = String(decoding: part.prefix(60), as: UTF8.self)
            throw RequestRules.Problem(description: "`\(beginning)` is not UTF-8; other encodings are not read")
        }
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest.dropFirst(pair.count + 1)
            if pair.isEmpty { continue }
            count += 1
            guard count <= mostParameters else {
                throw RequestRules.Problem(description: "it has more than \(mostParameters) parameters")
            }
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            members.add(try text(name), .string(try text(pair.dropFirst(name.count + 1))))
        }
        return members
    }

    /// Percent-decodes a text.
    /// - Parameter isForm: whether a plus means a space. Default: no.
    static func bytes(_ text: some Collection<UInt8>, isForm: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = Hex.bytes(String(decoding: rest.prefix(2), as: UTF8.self))?.first
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(isForm && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }
}

/// Builds an object; of repeated members the last value counts, at the first one's position. In linear time, since
/// senders choose the number.
struct LastMembers {
    private var elements: [Attributes.Element] = []
    private var places: [String: Int] = [:]
    /// One entry per repetition.
    private(set) var repeatedNames: [String] = []
    /// Of names and values.
    fileprivate(set) var flaws = TextFlaws()

    var attributes: Attributes {
        var attributes = Attributes()
        attributes.elements = elements
        return attributes
    }

    mutating func add(_ key: String, _ value: Value) {
        if let place = places[key] {
            elements[place].value = value
            repeatedNames.append(key)
        } else {
            places[key] = elements.count
            elements.append(Attributes.Element(key, value))
        }
    }
}
