import DaybookBase
import DaybookTools

/// Finds texts that name an event without requiring it: manual steps about a tag, and items whose tag differs from a
/// recorded one only in spelling. Otherwise they would pass unjudged.
struct NamedEvents: Sendable {
    /// A manual step, or an item's pattern.
    private struct Text: Sendable {
        var item: Int
        /// As by ``ReadableText/folded(_:)``.
        var folded: [Unicode.Scalar]
        /// Where a tag may begin.
        var starts: [Int]
        /// Whether the text is negated; then an event counts wherever it is in the text.
        var isNegative = false
        /// `nil` for a step.
        var pattern: TagPattern?
        var likeness: TagPattern?
    }

    private var texts: [Text] = []
    /// The tag that a step is about, by item.
    private(set) var subjects: [Int: String] = [:]
    /// A pattern without matches, and the tag that came instead, by item.
    private(set) var likenesses: [Int: (pattern: String, tag: String)] = [:]
    private var matched: Set<Int> = []

    mutating func add(step: String, at item: Int) {
        let plain = ReadableText(step)
        let reader = ItemReader(step)
        let starts = reader.beginnings.map { start in
            ReadableText.folded(plain.scalars[..<start]).unicodeScalars.count
        }
        texts.append(
            Text(
                item: item, folded: Array(ReadableText.folded(plain.scalars).unicodeScalars), starts: starts,
                isNegative: reader.isNegative))
    }

    mutating func add(_ pattern: TagPattern, at item: Int) {
        // `never "`login`"`: quotes keep what is Markdown elsewhere.
        let folded = ReadableText.folded(ReadableText(pattern.text).scalars)
        texts.append(
            Text(item: item, folded: [], starts: [], pattern: pattern, likeness: try? TagPattern(folded)))
    }

    /// Looks at a tag when it first occurs.
    mutating func observe(_ tag: String) {
        guard !texts.isEmpty, !tag.isEmpty, !OwnRecords.have(tag) else { return }
        let folded = ReadableText.folded(tag.unicodeScalars)
        observe(tag, folded: folded, name: Array(folded.unicodeScalars))
    }

    fileprivate mutating func observe(_ tag: String, folded: String, name: [Unicode.Scalar]) {
        for (index, text) in texts.enumerated() {
            if let pattern = text.pattern {
                if pattern.matches(tag) {
                    matched.insert(index)
                    if let known = likenesses[text.item], known.pattern == pattern.text { likenesses[text.item] = nil }
                } else if !matched.contains(index), text.likeness?.matches(folded) == true {
                    likenesses[text.item] = (pattern.text, tag)
                }
            } else if subjects[text.item] == nil,
                text.starts.contains(where: { Self.stands(name, in: text.folded, at: $0) })
                    || text.isNegative && ItemReader.isEventName(tag) && Self.isNamed(name, in: text.folded)
            {
                subjects[text.item] = tag
            }
        }
    }

    /// Whether a text contains a name anywhere as a separate word.
    static func isNamed(_ name: [Unicode.Scalar], in text: [Unicode.Scalar]) -> Bool {
        text.indices.contains { start in
            text[start] == name.first
                && (start == 0 || !ItemTokenizer.isWord(text[start - 1]) || text[start - 1].isEastAsian)
                && stands(name, in: text, at: start)
        }
    }

    /// Whether a text contains a name at a position as a separate word.
    static func stands(_ name: [Unicode.Scalar], in text: [Unicode.Scalar], at start: Int) -> Bool {
        guard text[start...].starts(with: name) else { return false }
        let end = start + name.count
        guard end < text.count, let last = name.last else { return true }
        // Words in different scripts need no space between them, nor does a Japanese particle after a noun.
        if text[end].isEastAsian, !last.isEastAsian || text[end].isHiragana && !last.isHiragana { return true }
        guard text[end] == "." || text[end] == "-" else { return !ItemTokenizer.isWord(text[end]) }
        return end + 1 == text.count || !ItemTokenizer.isWord(text[end + 1])
    }
}

/// The defined tags by name, prepared for searching texts.
struct DefinedTags {
    private let tags: [(tag: String, folded: String, name: [Unicode.Scalar])]

    init(_ catalog: EventCatalog) {
        tags = catalog.events.keys.filter { !$0.isEmpty && !OwnRecords.have($0) }.sorted().map { tag in
            let folded = ReadableText.folded(tag.unicodeScalars)
            return (tag, folded, Array(folded.unicodeScalars))
        }
    }

    /// The first tag that a manual step is about.
    func subject(of step: String) -> String? {
        var named = NamedEvents()
        named.add(step: step, at: 0)
        for (tag, folded, name) in tags {
            named.observe(tag, folded: folded, name: name)
            if let subject = named.subjects[0] { return subject }
        }
        return nil
    }
}

extension EventCatalog {
    /// The first defined event, by name, that a manual step mentions anywhere: by its tag, or by its bare name if that
    /// cannot be an ordinary word.
    func event(namedIn step: String) -> String? {
        let text = Array(ReadableText.folded(ReadableText(step).scalars).unicodeScalars)
        return events.keys.sorted().first { tag in
            let own = tag.split(separator: ".").last ?? ""
            return [tag[...], own.contains("_") ? own : tag[...]].contains { name in
                NamedEvents.isNamed(Array(ReadableText.folded(name.unicodeScalars).unicodeScalars), in: text)
            }
        }
    }
}
