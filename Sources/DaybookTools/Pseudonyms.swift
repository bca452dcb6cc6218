import DaybookBase

/// Stand-ins for private values that statements can count and join by: equal values have equal stand-ins, and nobody
/// without the key can tell whose they are. Pure.
///
/// A number becomes a negative integer, so that it fits a numeric column: 31 bits of a hash if the number fits 32 bits,
/// else 52. Among 10,000 small numbers, two collide with a probability of 1 in 43. Anything else becomes a text with 48
/// bits of a hash.
package struct Pseudonyms: Sendable, Hashable, Codable {
    /// A text stand-in's prefix before the hash.
    package static let beginning = "[private "
    private static let small = Double(Int64(1) << 31)
    private static let bitsOfLarge = Int64(1) << 52

    private let k0: UInt64
    private let k1: UInt64
    private var key: HashKey { HashKey(k0, k1) }

    /// - Parameter key: secret. Default: random.
    package init(key: HashKey = .random()) { (k0, k1) = (key.k0, key.k1) }

    /// - Parameter text: from ``keyText``; `nil` if invalid.
    package init?(keyText text: String) {
        guard text.utf8.count == 32, let k0 = UInt64(text.prefix(16), radix: 16),
            let k1 = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(key: HashKey(k0, k1))
    }

    /// 48 bits that distinguish a text without revealing it.
    package func digest(of text: String) -> String { String(key.hash(text).prefix(12)) }

    package func standIn(for value: Value) -> Value {
        let text = JSONWriter.text(value)
        switch value {
        case .int(let number): return .int(hashed(text, isSmall: abs(Double(number)) < Self.small))
        case .double: return .int(hashed(text, isSmall: false))
        default: return .string("\(Self.beginning)\(digest(of: text))]")
        }
    }

    /// Whether a value has a stand-in's form.
    package static func mayHaveMade(_ value: Value) -> Bool {
        switch value {
        case .int(let number): number < 0
        case .string(let text):
            text.hasPrefix(beginning) && text.hasSuffix("]") && text.utf8.count == beginning.utf8.count + 13
                && text.utf8.dropFirst(beginning.utf8.count).dropLast()
                    .allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        default: false
        }
    }

    private func hashed(_ text: String, isSmall: Bool) -> Int64 {
        let hash = Int64(UInt64(key.hash(text).prefix(13), radix: 16) ?? 0)
        return isSmall ? -1 - hash % ((1 << 31) - 1) : -Self.bitsOfLarge - hash
    }

    /// The key as 32 hexadecimal digits, for servers that make their own stand-ins, and for persistent ones.
    package var keyText: String { Hex.text(key.k0) + Hex.text(key.k1) }
}

extension MaskingPolicy {
    /// The policy for statements, which count and join by values they cannot see.
    /// - Parameter pseudonyms: Default: with a random key; `nil` for none.
    package func withPseudonyms(_ pseudonyms: Pseudonyms? = Pseudonyms()) -> MaskingPolicy {
        var policy = self
        policy.pseudonyms = pseudonyms
        return policy
    }
}

/// For processes that mask a statement's input, and for stores that save the policy.
extension MaskingPolicy: Codable {
    /// Earlier versions wrote `own`, and read `common` as private in every event.
    private enum Key: String, CodingKey { case own, common, open, pseudonyms }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        let own = try members.decodeIfPresent([String: Set<String>].self, forKey: .own) ?? [:]
        self.init(
            private: own.values.reduce(try members.decode(Set<String>.self, forKey: .common)) { $0.union($1) },
            open: try members.decodeIfPresent([String: Set<String>].self, forKey: .open) ?? [:])
        pseudonyms = try members.decodeIfPresent(Pseudonyms.self, forKey: .pseudonyms)
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode([String: Set<String>](), forKey: .own)
        try members.encode(names, forKey: .common)
        try members.encode(open, forKey: .open)
        try members.encodeIfPresent(pseudonyms, forKey: .pseudonyms)
    }
}
