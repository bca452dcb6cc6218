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
        segments = (parts.first ?? "").split(separator: "/").map { FormText.decoded($0) }
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
    static func attributes(_ text: String) -> Attributes {
        var result = Attributes()
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            func part(_ index: Int) -> String {
                index < parts.count ? decoded(parts[index].map { $0 == "+" ? " " : String($0) }.joined()) : ""
            }
            result[part(0)] = .string(part(1))
        }
        return result
    }

    /// Percent signs with two hexadecimal digits are bytes; what is no UTF-8 is replaced.
    static func decoded(_ text: some StringProtocol) -> String {
        guard text.contains("%") else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
