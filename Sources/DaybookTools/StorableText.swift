import DaybookBase

// Text is made what every store keeps before anything is counted or grouped by it: two names that a store holds for one
// would be two rows of the same key, and PostgreSQL refuses the whole commit (docs/formats/otlp.md, *Text*).

extension String {
    /// The text with U+FFFD for each NUL, which PostgreSQL cannot keep, and with bounded marks (``StreamSafeText``).
    package var storable: String {
        guard utf8.contains(0) else { return streamSafe }
        // By scalars: a mark behind a NUL makes it another character.
        return String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })).streamSafe
    }

    /// A name that rows are counted by: storable, and in Unicode's normal form C, for Swift takes canonically equivalent
    /// texts for equal where databases compare bytes.
    package var storableName: String { storable.composed }
}

extension Value {
    /// The value with storable texts, at any depth.
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
    /// The attributes with storable names and values.
    package var storable: Attributes { Attributes(elements.map { ($0.key.storable, $0.value.storable) }) }
}
