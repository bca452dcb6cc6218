import DaybookBase

#if canImport(CryptoKit)
    import CryptoKit
#else
    import CCrypto
#endif

/// What the collector keeps of a key: everything but the key.
package struct StoredKey: Sendable, Hashable {
    /// What a key opens.
    package enum Purpose: String, Sendable, CaseIterable {
        /// Sending records. It is in every copy of an app, so it opens nothing that could be read.
        case ingest
        /// Reading `/metrics`.
        case metrics
        /// Reading records and what the team wrote, masked: for commands, scripts and assistants.
        case read
        /// What the inspector's token opens.
        case manage
    }

    /// 8 lowercase hexadecimal digits.
    package var id: String
    /// Who holds it, in the operator's words.
    package var name: String
    package var purpose: Purpose
    /// Nanoseconds since 1970.
    package var created: Int64
    package var quota: KeyQuota
    /// SHA-256 of the key's text.
    var digest: [UInt8]

    /// What is to be kept of a new key.
    package init(_ key: APIKey, name: String, purpose: Purpose, created: Int64, quota: KeyQuota) {
        id = key.id
        self.name = name
        self.purpose = purpose
        self.created = created
        self.quota = quota
        digest = APIKey.digest(of: key.text)
    }

    /// Whether a text is this key. Takes the same time wherever the two differ.
    func matches(_ text: some StringProtocol) -> Bool {
        let other = APIKey.digest(of: text)
        var difference = UInt8(other.count == digest.count ? 0 : 1)
        for (left, right) in zip(digest, other) { difference |= left ^ right }
        return difference == 0
    }
}

/// How much a key may send; `nil` is without bound.
package struct KeyQuota: Sendable, Hashable {
    /// Requests in a minute; the same number may come at once.
    package var requestsPerMinute: Int?
    /// Bytes of bodies after inflating in a minute.
    package var bytesPerMinute: Int?
    /// Records in a minute, those that had come before among them.
    package var recordsPerMinute: Int?

    /// A quota.
    package init(requestsPerMinute: Int? = nil, bytesPerMinute: Int? = nil, recordsPerMinute: Int? = nil) {
        self.requestsPerMinute = requestsPerMinute
        self.bytesPerMinute = bytesPerMinute
        self.recordsPerMinute = recordsPerMinute
    }

    /// The quota with another's bounds where it has none.
    func completed(by other: KeyQuota) -> KeyQuota {
        KeyQuota(
            requestsPerMinute: requestsPerMinute ?? other.requestsPerMinute,
            bytesPerMinute: bytesPerMinute ?? other.bytesPerMinute,
            recordsPerMinute: recordsPerMinute ?? other.recordsPerMinute)
    }
}

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
    static func digest(of text: some StringProtocol) -> [UInt8] { SHA256Digest.of(Array(text.utf8)) }
}

/// SHA-256 (FIPS 180-4) by the system's library: CryptoKit on Apple's systems, libcrypto elsewhere.
enum SHA256Digest {
    /// The 32 bytes of the digest.
    static func of(_ message: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            return Array(SHA256.hash(data: message))
        #else
            var digest = [UInt8](repeating: 0, count: 32)
            let isDone = EVP_Digest(message, message.count, &digest, nil, EVP_sha256(), nil)
            // Only a libcrypto that was configured without SHA-256 refuses; keys cannot be checked with it.
            precondition(isDone == 1, "this libcrypto has no SHA-256")
            return digest
        #endif
    }
}
