/// A pattern of tags for routes, filters, checklist items and queries.
///
/// `a.b` matches only that tag; `a.b.*` exactly one more term (`a.b.c`); `a.b.**` zero or more (`a.b`, `a.b.c`,
/// `a.b.c.d`, not `a`); `*` one term; `**` everything. A wildcard is a whole term, and the last one.
public struct TagPattern: Sendable, Hashable, CustomStringConvertible {
    public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// A term is empty: before, after or between dots.
        case emptyTerm
        /// A wildcard is followed by other terms.
        case wildcardNotLast
        /// A `*` is part of a term, as in `show*`.
        case wildcardInTerm
        /// A term begins or ends with white space, or contains a line end; at this character, from 1.
        case whiteSpace(at: Int)

        public var description: String {
            switch self {
            case .emptyTerm: "it has an empty term"
            case .whiteSpace(let place): "character \(place) is white space at the edge of a term, or a line end"
            case .wildcardNotLast, .wildcardInTerm: "a wildcard (* or **) must be the whole last term"
            }
        }
    }

    private enum Tail: Hashable { case none, one, any }

    public let text: String
    /// The whole tag, or everything up to the last dot before the wildcard, inclusive.
    private let head: String
    private let tail: Tail

    /// Parses a pattern.
    ///
    /// ```swift
    /// let pattern = try TagPattern("feed.*")
    /// ```
    /// - Throws: Why `text` is not a pattern.
    public init(_ text: some StringProtocol) throws(Problem) { try self.init(parsing: String(text)) }

    private init(parsing text: String) throws(Problem) {
        var term = text[..<text.startIndex]
        var rest: Substring? = text[...]
        while let here = rest {
            let dot = here.firstIndex(of: ".")
            term = here[..<(dot ?? here.endIndex)]
            rest = dot.map { here[here.index(after: $0)...] }
            if term.isEmpty { throw .emptyTerm }
            if let blank = Self.blank(in: term) {
                throw .whiteSpace(at: text.distance(from: text.startIndex, to: blank) + 1)
            }
            guard term.contains("*") else { continue }
            guard term == "*" || term == "**" else { throw .wildcardInTerm }
            guard rest == nil else { throw .wildcardNotLast }
        }
        self.text = text
        switch term {
        case "*": tail = .one
        case "**": tail = .any
        default: tail = .none
        }
        head = tail == .none ? text : String(text[..<term.startIndex])
    }

    /// White space at an edge, or a line end. Another library's tags may have white space inside a term.
    private static func blank(in term: Substring) -> String.Index? {
        if term.first?.isWhitespace == true { return term.startIndex }
        return term.firstIndex(where: \.isNewline)
            ?? (term.last?.isWhitespace == true ? term.index(before: term.endIndex) : nil)
    }

    public var description: String { text }

    /// Whether it ends with `*` or `**`.
    package var hasWildcard: Bool { tail != .none }

    /// The one tag that matches, or `nil` if the pattern has a wildcard.
    package var onlyTag: String? { tail == .none ? head : nil }

    public func matches(_ tag: String) -> Bool { match(tag) != nil }

    /// What the wildcard matches in `tag` (empty if the pattern has none); `nil` if the tag does not match.
    public func match(_ tag: String) -> Substring? {
        switch tail {
        case .none:
            // Equality of strings alone takes two spellings of a character as one.
            return tag == head && tag.utf8.elementsEqual(head.utf8) ? tag[tag.endIndex...] : nil
        case .one, .any:
            // By bytes: tags are identifiers, and two spellings of one character are two tags.
            guard tag.begins(withBytesOf: head) else {
                let isZeroTerms =
                    tail == .any && head.utf8.count == tag.utf8.count + 1 && head.begins(withBytesOf: tag)
                return isZeroTerms ? tag[tag.endIndex...] : nil
            }
            let captured = tag[tag.utf8.index(tag.startIndex, offsetBy: head.utf8.count)...]
            // `**` also matches an empty tag, which must not slip through a route for all.
            if tail == .any { return captured }
            return captured.isEmpty || captured.utf8.contains(UInt8(ascii: ".")) ? nil : captured
        }
    }

    /// A tag of each sort that the pattern distinguishes: the head, one term more, several more. Added terms begin with
    /// a control character, so that no pattern that people write names them.
    package var examples: [String] {
        guard tail != .none else { return [head] }
        let term = "\u{1}"
        return [String(head.dropLast()), head + term, head + term + "." + term]
    }
}

extension String {
    fileprivate func begins(withBytesOf other: String) -> Bool {
        var (text, other) = (self, other)
        return text.withUTF8 { text in
            other.withUTF8 { other in text.count >= other.count && other.indices.allSatisfy { text[$0] == other[$0] } }
        }
    }
}
