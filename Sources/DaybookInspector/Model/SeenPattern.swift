/// Which tags count as "seen" for a checklist's item.
struct SeenPattern: Sendable, Hashable {
    private enum Tail { case exact, oneTerm, anyTerms }

    private let head: String
    private let tail: Tail

    /// `a.b` is that tag; `a.*` is `a.` and one term; `a.**` is `a` and everything below; `**` is everything.
    init(_ text: String) {
        if text == "**" {
            (head, tail) = ("", .anyTerms)
        } else if text == "*" {
            (head, tail) = ("", .oneTerm)
        } else if text.hasSuffix(".**") {
            (head, tail) = (String(text.dropLast(3)), .anyTerms)
        } else if text.hasSuffix(".*") {
            (head, tail) = (String(text.dropLast(2)), .oneTerm)
        } else {
            (head, tail) = (text, .exact)
        }
    }

    func matches(_ tag: String) -> Bool {
        switch tail {
        case .exact: return tag == head
        case .anyTerms: return head.isEmpty || tag == head || tag.hasPrefix(head + ".")
        case .oneTerm:
            guard head.isEmpty || tag.hasPrefix(head + ".") else { return false }
            let rest = head.isEmpty ? tag[...] : tag.dropFirst(head.count + 1)
            return !rest.isEmpty && !rest.contains(".")
        }
    }
}
