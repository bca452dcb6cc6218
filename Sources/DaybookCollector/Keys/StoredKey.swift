import DaybookBase

#if canImport(CryptoKit)
    import CryptoKit
#else
    import CCrypto
#endif

/// What the collector stores of a key: all but the secret.
package struct StoredKey: Sendable, Hashable {
    package enum Purpose: String, Sendable, CaseIterable {
        /// Sending records. Every copy of an app contains it, so it permits no reading.
        case ingest
        /// Reading `/metrics`.
        case metrics
        /// Reading records and the team's documents, masked: for commands, scripts and assistants.
        case read
        /// Everything the inspector's token permits.
        case manage
    }

    /// 8 lowercase hexadecimal digits.
    package var id: String
    /// The operator's name for its holder.
    package var name: String
    package var purpose: Purpose
    /// Nanoseconds since 1970.
    package var created: Int64
    package var quota: KeyQuota
    /// SHA-256 of the key's text.
    var digest: [UInt8]

    package init(_ key: APIKey, name: String, purpose: Purpose, created: Int64, quota: KeyQuota) {
        id = key.id
        self.name = name
        self.purpose = purpose
        self.created = created
        self.quota = quota
        digest = APIKey.digest(of: key.text)
    }

    /// Constant-time comparison.
    func matches(_ text: some StringProtocol) -> Bool {
        let other = APIKey.digest(of: text)
        var difference = UInt8(other.count == digest.count ? 0 : 1)
        for (left, right) in zip(digest, other) { difference |= left ^ right }
        return difference == 0
    }
}

/// How much a key may send; `nil` is unlimited.
package struct KeyQuota: Sendable, Hashable {
    /// Requests per minute; also the largest burst.
    package var requestsPerMinute: Int?
    /// Bytes of inflated bodies per minute.
    package var bytesPerMinute: Int?
    /// Records per minute, duplicates included.
    package var recordsPerMinute: Int?

    package init(requestsPerMinute: Int? = nil, bytesPerMinute: Int? = nil, recordsPerMinute: Int? = nil) {
        self.requestsPerMinute = requestsPerMinute
        self.bytesPerMinute = bytesPerMinute
        self.recordsPerMinute = recordsPerMinute
    }

    func completed(by other: KeyQuota) -> KeyQuota {
        KeyQuota(
            requestsPerMinute: requestsPerMinute ?? other.requestsPerMinute,
            bytesPerMinute: bytesPerMinute ?? other.bytesPerMinute,
            recordsPerMinute: recordsPerMinute ?? other.recordsPerMinute)
    }
}

/// A key as its holder has it: `dbk_ID_SECRET`. The id, 8 hexadecimal digits, identifies it in lists and logs. The
/// secret has 192 random bits, so that a plain hash suffices.
package struct APIKey: Sendable, Hashable {
    /// 8 lowercase hexadecimal digits; not secret.
    package let id: String
    /// The whole key, sent as `Authorization: Bearer KEY`.
    package let text: String

    /// A new key from the system's cryptographic random numbers.
    package init() {
        let words = (0..<4).map { _ in Hex.text(UInt64.random(in: .min ... .max)) }
        id = String(words[0].prefix(8))
        text = "dbk_\(id)_" + words[1...].joined()
    }

    /// The id in a key's text, whether or not the key exists.
    static func id(of text: some StringProtocol) -> String? {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "dbk", parts[1].utf8.count == 8 else { return nil }
        return String(parts[1])
    }

    /// Stored instead of the key.
    static func digest(of text: some StringProtocol) -> [UInt8] { SHA256Digest.of(Array(text.utf8)) }
}

/// SHA-256 (FIPS 180-4) by the system's library: CryptoKit on Apple systems, libcrypto elsewhere.
enum SHA256Digest {
    static func of(_ message: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            return Array(SHA256.hash(data: message))
        #else
            var digest = [UInt8](repeating: 0, count: 32)
            let isDone = EVP_Digest(message, message.count, &digest, nil, EVP_sha256(), nil)
            // Fails only if libcrypto was built without SHA-256; then keys cannot be checked.
            precondition(isDone == 1, "this libcrypto has no SHA-256")
            return digest
        #endif
    }
}
