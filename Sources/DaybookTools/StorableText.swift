import DaybookBase

// Texts are normalized before anything is counted or grouped by them: names that a store considers equal would
// otherwise be two rows with the same key, and PostgreSQL refuses the whole commit (docs/formats/otlp.md, *Text*).

extension String {
    /// Replaces NUL, which PostgreSQL cannot store, by U+FFFD, and limits combining marks (``StreamSafeText``).
    package var storable: String {
        guard utf8.contains(0) else { return streamSafe }
        // By scalars: a combining mark after NUL forms another character.
        return String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })).streamSafe
    }

    /// A grouping name: storable, and in NFC, because Swift treats canonically equivalent texts as equal while
    /// databases compare bytes.
    package var storableName: String { storable.composed }
}

extension Value {
    /// Storable texts at any depth.
    package var storable: Value {
        switch self {
        case .string(let text): .string(text.storable)
        case .array(let items): .array(items.map(\.storable))
        case .object(let attributes): .object(attributes.storable)
        case .null, .bool, .int, .double, .bytes: self
        }
    }
}

extension Attributes {
    /// Storable names and values.
    package var storable: Attributes { Attributes(elements.map { ($0.key.storable, $0.value.storable) }) }
}
