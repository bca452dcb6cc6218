import Daybook

/// What the collector keeps of a key: everything but the key.
package struct StoredKey: Sendable, Hashable {
    /// What a key opens.
    package enum Purpose: String, Sendable, CaseIterable {
        /// Sending records. It is in every copy of an app, so it opens nothing that could be read.
        case ingest
        /// Reading `/metrics`.
        case metrics
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
    /// Bytes of bodies as sent in a minute.
    package var bytesPerMinute: Int?

    /// A quota.
    package init(requestsPerMinute: Int? = nil, bytesPerMinute: Int? = nil) {
        self.requestsPerMinute = requestsPerMinute
        self.bytesPerMinute = bytesPerMinute
    }
}
