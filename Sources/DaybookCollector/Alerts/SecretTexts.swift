import DaybookBase
import Foundation

/// What of a target's address is secret, looked for in what others say of it: a target may answer with the path that it was
/// asked for, and what it answers is kept, shown and logged (pure).
///
/// Letters and digits count, in whatever way the rest is written: percent-encoded, in JSON, in HTML or in capitals. Of a
/// longer secret a part is enough, for who repeats one may cut it.
struct SecretTexts: Sendable {
    /// Stands in the place of a text that repeats one.
    static let mark = "not shown: it repeats a part of the address or the token"
    /// Letters and digits in a row that are no coincidence, and those of which a whole secret is none.
    private static let (part, least) = (8, 4)

    private var parts: Set<[UInt8]> = []

    /// - Parameter texts: the secrets as they are sent.
    init(_ texts: [String]) {
        // As they mean, and as they are written.
        for bytes in texts.flatMap({ [Self.folded($0), Self.lettersAndDigits(Array($0.utf8))] }) {
            if bytes.count >= Self.part {
                for start in 0...(bytes.count - Self.part) { parts.insert(Array(bytes[start..<(start + Self.part)])) }
            } else if bytes.count >= Self.least {
                parts.insert(bytes)
            }
        }
    }

    /// Whether a text has a secret, or a part of one.
    func isRepeated(in text: String) -> Bool {
        guard !parts.isEmpty else { return false }
        let bytes = Self.folded(text)
        let lengths = Set(parts.map(\.count))
        return bytes.indices.contains { start in
            lengths.contains { start + $0 <= bytes.count && parts.contains(Array(bytes[start..<(start + $0)])) }
        }
    }

    /// The letters and digits of a text without the escapes of addresses and of JSON.
    private static func folded(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        // What was encoded twice is decoded twice.
        for _ in 0..<3 {
            let decoded = decoded(bytes)
            if decoded.count == bytes.count { break }
            bytes = decoded
        }
        return lettersAndDigits(bytes)
    }

    /// In small letters.
    private static func lettersAndDigits(_ bytes: [UInt8]) -> [UInt8] {
        bytes.compactMap { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7A: byte
            case 0x41...0x5A: byte | 0x20
            default: byte >= 0x80 ? byte : nil
            }
        }
    }

    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let rest = bytes[index...]
            if let sign = ["%", "u00", "\\x", "&#x"].first(where: { rest.starts(with: $0.utf8) }),
                case let digits = rest.dropFirst(sign.utf8.count).prefix(2), digits.count == 2,
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                result.append(byte)
                index = digits.endIndex
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}

extension AlertTarget.Destination {
    /// All of the address but its place, and the token. The address of Chatwork's rooms is nobody's secret.
    var secretTexts: SecretTexts {
        if kind == .chatwork, url.host == "api.chatwork.com" { return SecretTexts([token].compactMap { $0 }) }
        let address = URLComponents(url: url, resolvingAgainstBaseURL: false)
        let path = address?.percentEncodedPath ?? url.path
        let query = address?.percentEncodedQuery ?? ""
        let pieces = (path + "/" + query).split { "/&=?;".contains($0) }.map(String.init)
        let others = [
            address?.percentEncodedUser, address?.percentEncodedPassword, address?.percentEncodedFragment, token,
        ]
        return SecretTexts([path, query] + pieces + others.compactMap { $0 })
    }
}
