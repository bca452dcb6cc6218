import Daybook

/// A key as its holder has it: `dbk_ID_SECRET`. The id, 8 hexadecimal digits, names it in lists and logs; the secret is
/// 192 random bits. So much cannot be guessed, and a plain hash is enough to keep it by.
package struct APIKey: Sendable, Hashable {
    /// 8 lowercase hexadecimal digits; not secret.
    package let id: String
    /// The whole key: what is sent as `Authorization: Bearer KEY`.
    package let text: String

    /// A new key from the system's random numbers, which are fit for secrets.
    package init() {
        let words = (0..<4).map { _ in Hex.text(UInt64.random(in: .min ... .max)) }
        id = String(words[0].prefix(8))
        text = "dbk_\(id)_" + words[1...].joined()
    }

    /// The id that a key's text names, whether or not there is such a key.
    static func id(of text: some StringProtocol) -> String? {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "dbk", parts[1].utf8.count == 8 else { return nil }
        return String(parts[1])
    }

    /// What is kept instead of the key.
    static func digest(of text: some StringProtocol) -> [UInt8] { SHA256.hash(text.utf8) }
}
