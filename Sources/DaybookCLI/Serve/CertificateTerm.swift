import DaybookBase

/// A certificate's validity period (pure). Clients refuse a certificate outside it, although the server does not.
///
/// Source: RFC 5280, §4.1 and §4.1.2.5; RFC 7468, §5.
struct CertificateTerm: Equatable {
    /// RFC 3339 in UTC with whole seconds, so that texts sort by time; a certificate without an end has one in 9999.
    let start: String
    let end: String

    /// From the first certificate of a PEM chain; `nil` if not found.
    init?(pem: String) {
        guard let begin = pem.firstRange(of: "-----BEGIN CERTIFICATE-----"),
            let finish = pem[begin.upperBound...].firstRange(of: "-----END CERTIFICATE-----"),
            let bytes = Base64.decode(String(pem[begin.upperBound..<finish.lowerBound].filter { !$0.isWhitespace })),
            let term = Self.term(of: bytes[...])
        else { return nil }
        (start, end) = term
    }

    /// A warning; `nil` within the period.
    func warning(at now: Int64) -> String? {
        let now = Timestamp(nanoseconds: now).rfc3339(fractionDigits: 0)
        if now < start {
            return "The TLS certificate is not valid before \(start): clients refuse it. Check the machine's clock too."
        }
        if now > end { return "The TLS certificate expired at \(end): clients refuse it. Renew it, and restart." }
        return nil
    }

    private static func term(of bytes: ArraySlice<UInt8>) -> (String, String)? {
        var rest = bytes
        guard var certificate = element(0x30, &rest), var fields = element(0x30, &certificate) else { return nil }
        // The version is optional.
        _ = element(0xA0, &fields)
        // Serial number, algorithm and issuer.
        guard element(0x02, &fields) != nil, element(0x30, &fields) != nil, element(0x30, &fields) != nil,
            var term = element(0x30, &fields), let start = time(&term), let end = time(&term)
        else { return nil }
        return (start, end)
    }

    /// Takes an element with this tag and returns its content; leaves `bytes` unchanged if another is next.
    private static func element(_ tag: UInt8, _ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.count >= 2, bytes.first == tag else { return nil }
        var rest = bytes.dropFirst(2)
        var length = Int(bytes[bytes.startIndex + 1])
        if length >= 0x80 {
            let count = length - 0x80
            guard (1...4).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        bytes = rest.dropFirst(length)
        return rest.prefix(length)
    }

    /// `UTCTime`, with years 1950 to 2049, or `GeneralizedTime`.
    private static func time(_ bytes: inout ArraySlice<UInt8>) -> String? {
        let short = element(0x17, &bytes)
        guard let content = short ?? element(0x18, &bytes), content.last == UInt8(ascii: "Z"),
            content.dropLast().allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        var digits = String(decoding: content.dropLast(), as: UTF8.self)
        if short != nil { digits = (digits < "50" ? "20" : "19") + digits }
        guard digits.utf8.count == 14 else { return nil }
        let parts = [4, 2, 2, 2, 2, 2].map { count in
            defer { digits.removeFirst(count) }
            return String(digits.prefix(count))
        }
        return "\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z"
    }
}
