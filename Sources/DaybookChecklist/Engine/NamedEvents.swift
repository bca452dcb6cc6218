import DaybookBase
import DaybookTools

/// Which of a checklist's texts name an event without asking for it: steps for a person that begin with a tag, and items
/// whose tag differs from one that came only in case or width. Taken as they are, they would pass unjudged.
struct NamedEvents: Sendable {
    /// A step for a person, or an item's pattern.
    private struct Text: Sendable {
        var item: Int
        /// In small letters of usual width; of a pattern, the pattern.
        var folded: [Unicode.Scalar]
        /// Where a word begins that the tag may be.
        var starts: [Int]
        /// `nil` for a step.
        var pattern: TagPattern?
        var likeness: TagPattern?
    }

    private var texts: [Text] = []
    /// The tag that a step begins with, by its item.
    private(set) var beginnings: [Int: String] = [:]
    /// A pattern of which nothing has come, and what came in its place, by its item.
    private(set) var likenesses: [Int: (pattern: String, tag: String)] = [:]
    /// The patterns that something has matched.
    private var matched: Set<Int> = []

    /// Takes a step for a person.
    mutating func add(step: String, at item: Int) {
        let plain = ReadableText(step)
        let starts = ItemReader(step).beginnings.map { start in
            ReadableText.folded(plain.scalars[..<start]).unicodeScalars.count
        }
        texts.append(
            Text(item: item, folded: Array(ReadableText.folded(plain.scalars).unicodeScalars), starts: starts))
    }

    /// Takes a pattern of an item.
    mutating func add(_ pattern: TagPattern, at item: Int) {
        let folded = ReadableText.folded(pattern.text.unicodeScalars)
        texts.append(
            Text(item: item, folded: [], starts: [], pattern: pattern, likeness: try? TagPattern(folded)))
    }

    /// Takes a tag that is met for the first time.
    mutating func observe(_ tag: String) {
        guard !texts.isEmpty, !tag.isEmpty, !OwnRecords.have(tag) else { return }
        let folded = ReadableText.folded(tag.unicodeScalars)
        let name = Array(folded.unicodeScalars)
        for (index, text) in texts.enumerated() {
            if let pattern = text.pattern {
                if pattern.matches(tag) {
                    matched.insert(index)
                    if let known = likenesses[text.item], known.pattern == pattern.text { likenesses[text.item] = nil }
                } else if !matched.contains(index), text.likeness?.matches(folded) == true {
                    likenesses[text.item] = (pattern.text, tag)
                }
            } else if beginnings[text.item] == nil,
                text.starts.contains(where: { Self.stands(name, in: text.folded, at: $0) })
            {
                beginnings[text.item] = tag
            }
        }
    }

    /// Whether a text has a name at a place, as a word of its own.
    static func stands(_ name: [Unicode.Scalar], in text: [Unicode.Scalar], at start: Int) -> Bool {
        guard text[start...].starts(with: name) else { return false }
        let end = start + name.count
        guard end < text.count, let last = name.last else { return true }
        // Words of different scripts need no space between them.
        if last.isASCII, !text[end].isASCII { return true }
        guard text[end] == "." || text[end] == "-" else { return !ItemTokenizer.isWord(text[end]) }
        return end + 1 == text.count || !ItemTokenizer.isWord(text[end + 1])
    }
}

extension EventCatalog {
    /// The first defined event, by name, that a step for a person begins with.
    func event(beginning step: String) -> String? {
        var named = NamedEvents()
        named.add(step: step, at: 0)
        for tag in events.keys.sorted() { named.observe(tag) }
        return named.beginnings[0]
    }

    /// The first defined event, by name, that a step for a person names anywhere: by its tag, or by its own name where
    /// that is no word of a sentence.
    func event(namedIn step: String) -> String? {
        let text = Array(ReadableText.folded(ReadableText(step).scalars).unicodeScalars)
        return events.keys.sorted().first { tag in
            let own = tag.split(separator: ".").last ?? ""
            return [tag[...], own.contains("_") ? own : tag[...]].contains { name in
                let name = Array(ReadableText.folded(name.unicodeScalars).unicodeScalars)
                return text.indices.contains { start in
                    (start == 0 || !ItemTokenizer.isWord(text[start - 1]) || !text[start - 1].isASCII)
                        && NamedEvents.stands(name, in: text, at: start)
                }
            }
        }
    }
}
