/// Which tags an item speaks of: one tag, or all tags with a beginning.
///
/// `feed.show` is that tag alone. `feed.*` has exactly one term in place of `*`. `feed.**` has zero or more terms after
/// `feed`: it matches `feed`, `feed.show` and `feed.show.more`. `**` alone matches every tag, `*` every tag of one term.
///
/// The client's routes have the same patterns; each has its own type, for this module imports nothing and the client is
/// not for reading checklists. A test holds the two together.
public struct TagPattern: Sendable, Hashable, CustomStringConvertible {
    /// Why a text is no pattern.
    public enum Problem: Error, Sendable, Hashable {
        /// Nothing stands before, after or between two dots.
        case emptyTerm
        /// A wildcard stands where other terms follow.
        case wildcardNotLast
        /// A `*` is part of a term, as in `show*`.
        case wildcardInTerm
    }

    private enum Tail: Sendable, Hashable {
        case none, oneTerm, anyTerms
    }

    /// The terms before the wildcard, joined by dots.
    private let stem: String
    private let tail: Tail

    /// Reads a pattern.
    ///
    /// - Throws: why `text` is none.
    public init(_ text: some StringProtocol) throws(Problem) {
        let terms = text.split(separator: ".", omittingEmptySubsequences: false)
        for (index, term) in terms.enumerated() {
            if term.isEmpty { throw .emptyTerm }
            guard term.contains("*") else { continue }
            guard term == "*" || term == "**" else { throw .wildcardInTerm }
            guard index == terms.count - 1 else { throw .wildcardNotLast }
        }
        switch terms.last {
        case "*": tail = .oneTerm
        case "**": tail = .anyTerms
        default: tail = .none
        }
        stem = (tail == .none ? terms[...] : terms.dropLast()).joined(separator: ".")
    }

    /// The one tag that matches, or `nil` if the pattern has a wildcard.
    var onlyTag: String? { tail == .none ? stem : nil }

    /// Whether a record with this tag is meant.
    public func matches(_ tag: String) -> Bool {
        if tail == .none { return tag == stem }
        var rest = tag.utf8[...]
        if !stem.isEmpty {
            guard rest.starts(with: stem.utf8) else { return false }
            rest = rest.dropFirst(stem.utf8.count)
            if rest.isEmpty { return tail == .anyTerms }
            guard rest.removeFirst() == UInt8(ascii: ".") else { return false }
        }
        return tail == .anyTerms || (!rest.isEmpty && !rest.contains(UInt8(ascii: ".")))
    }

    public var description: String {
        let wildcard: String
        switch tail {
        case .none: return stem
        case .oneTerm: wildcard = "*"
        case .anyTerms: wildcard = "**"
        }
        return stem.isEmpty ? wildcard : stem + "." + wildcard
    }
}
