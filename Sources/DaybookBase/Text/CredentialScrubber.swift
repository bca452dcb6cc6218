/// Removes credentials from values and texts. Pure; one pass over the bytes, linear.
package struct CredentialScrubber: Sendable, Hashable {
    package static let replacement = "[redacted]"

    /// Names whose values are always secret, normalised.
    package static let credentialNames: Set<String> = [
        "password", "passwd", "pwd", "secret", "clientsecret", "token", "accesstoken", "refreshtoken", "idtoken",
        "apikey", "authorization", "proxyauthorization", "cookie", "setcookie", "xapikey", "privatekey", "credential",
        "credentials", "otp", "pin", "cvv", "cardnumber",
    ]

    /// Normalised; see ``normalised(_:)``.
    private let names: Set<String>

    /// - Parameter names: normalised; see ``normalised(_:)``. Default: ``credentialNames``.
    package init(names: Set<String> = Self.credentialNames) { self.names = names }

    /// Ignores case and separators, see ``FoldedName``: `X-Api_Key` is `xapikey`.
    package static func normalised(_ name: String) -> String { normalised(word: FoldedName.of(name)) }

    private static func normalised(word: String) -> String {
        String(decoding: word.utf8.filter { $0 != 0x2D && $0 != 0x5F && $0 != 0x2E }.map(lowercased), as: UTF8.self)
    }

    package func scrubbed(_ attributes: Attributes) -> Attributes {
        var result = attributes
        for index in result.elements.indices {
            let element = result.elements[index]
            result.elements[index].value =
                isSecret(element.key) ? .string(Self.replacement) : scrubbed(element.value)
        }
        return result
    }

    private func scrubbed(_ value: Value) -> Value {
        switch value {
        case .string(let text): .string(scrubbed(text))
        case .array(let items): .array(items.map(scrubbed))
        case .object(let attributes): .object(scrubbed(attributes))
        case .null, .bool, .int, .double, .bytes: value
        }
    }

    /// Whether the value of a name is a secret. The last term of a dotted name counts too: `http.request.cookie`.
    package func isSecret(_ name: String) -> Bool { isSecret(word: FoldedName.of(name)) }

    /// For a word of a text, which is not folded: only case and separators are ignored.
    private func isSecret(word: String) -> Bool {
        if names.contains(Self.normalised(word: word)) { return true }
        guard let dot = word.lastIndex(of: ".") else { return false }
        return names.contains(Self.normalised(word: String(word[word.index(after: dot)...])))
    }

    package func scrubbed(_ text: String) -> String {
        // Every credential follows one of these characters; most texts have none of them.
        guard text.utf8.contains(where: { $0 == 0x3D || $0 == 0x3A || $0 == 0x20 || $0 == 0x2E }) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let end = secretEnd(in: bytes, at: index) {
                result += Self.replacement.utf8
                index = end
            } else {
                let next = wordEnd(in: bytes, from: index)
                result += bytes[index..<next]
                index = next
            }
        }
        return result.count == bytes.count && result == bytes ? text : String(decoding: result, as: UTF8.self)
    }

    /// The end of the secret that begins at `start`; `nil` if none does.
    private func secretEnd(in bytes: [UInt8], at start: Int) -> Int? {
        // A text may be scrubbed twice on its way.
        guard isWordStart(bytes, start), !Self.stands(Self.replacement, in: bytes, at: start) else { return nil }
        return webTokenEnd(bytes, start) ?? valueEnd(bytes, start)
    }

    /// `eyJ…​.…​.…`: a JSON web token is three base64url parts, the first of an object.
    private func webTokenEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard Self.stands("eyJ", in: bytes, at: start) else { return nil }
        var end = start
        var dots = 0
        while end < bytes.count, Self.isTokenByte(bytes[end]) {
            if bytes[end] == 0x2E { dots += 1 }
            end += 1
        }
        return dots >= 2 ? end : nil
    }

    /// A value after a secret name, an authorization scheme, or a URL's user.
    private func valueEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard start > 0 else { return nil }
        var before = start
        // Quotes and spaces may follow the separator: `"password": "…"`.
        while before > 0, Self.isPadding(bytes[before - 1]) { before -= 1 }
        if before > 0, bytes[before - 1] == 0x3D || bytes[before - 1] == 0x3A {
            if isSecret(word: word(in: bytes, endingAt: before - 1)) { return Self.end(of: bytes, from: start) }
        } else if before < start, bytes[before] != 0x5C {
            let scheme = word(in: bytes, endingAt: before).lowercased()
            // A short word after `bearer` or `basic` is prose.
            let end = Self.end(of: bytes, from: start)
            if scheme == "bearer" || scheme == "basic", end - start >= 8 { return end }
        }
        return userInfoEnd(bytes, start)
    }

    /// In `scheme://user:password@host`, the part before the `@`.
    private func userInfoEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard start >= 3, bytes[start - 1] == 0x2F, bytes[start - 2] == 0x2F, bytes[start - 3] == 0x3A else {
            return nil
        }
        for index in start..<min(bytes.count, start + 256) {
            switch bytes[index] {
            case 0x40: return index > start ? index : nil
            case 0x2F, 0x20, 0x3F, 0x23, 0x22: return nil
            default: continue
            }
        }
        return nil
    }

    private func word(in bytes: [UInt8], endingAt end: Int) -> String {
        var end = end
        while end > 0, Self.isPadding(bytes[end - 1]) { end -= 1 }
        var start = end
        // A longer word is no name; this keeps the search linear.
        while start > 0, end - start < Self.longestName, Self.isNameByte(bytes[start - 1]) { start -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private func isWordStart(_ bytes: [UInt8], _ index: Int) -> Bool {
        // A backslash belongs to the quote that it escapes, or stays before a value that begins after it.
        Self.isValueByte(bytes[index]) && bytes[index] != 0x5C && (index == 0 || !Self.isNameByte(bytes[index - 1]))
    }

    private func wordEnd(in bytes: [UInt8], from start: Int) -> Int {
        guard Self.isNameByte(bytes[start]) else { return start + 1 }
        return bytes[start...].firstIndex { !Self.isNameByte($0) } ?? bytes.count
    }

    private static func stands(_ text: String, in bytes: [UInt8], at start: Int) -> Bool {
        var place = start
        for byte in text.utf8 {
            guard place < bytes.count, bytes[place] == byte else { return false }
            place += 1
        }
        return true
    }

    private static func end(of bytes: [UInt8], from start: Int) -> Int {
        var end = bytes[start...].firstIndex { !isValueByte($0) } ?? bytes.count
        // An escaped quote ends a value within a quoted text.
        if end < bytes.count, bytes[end] == 0x22 { while end > start, bytes[end - 1] == 0x5C { end -= 1 } }
        return end
    }

    /// In bytes; see ``word(in:endingAt:)``.
    package static let longestName = 64

    /// What may stand between a name, its separator and its value: spaces and quotes, also escaped.
    @inlinable package static func isPadding(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x22 || byte == 0x27 || byte == 0x5C
    }

    @inlinable package static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: byte >= 0x80
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool { (isNameByte(byte) && byte < 0x80) || byte == 0x2E }

    /// A secret ends where a value ends in text, JSON, a query or a header.
    private static func isValueByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x22, 0x26, 0x27, 0x2C, 0x3B, 0x3C, 0x3E, 0x5D, 0x7D, 0x29: false
        default: true
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}

/// Replaces the values of secret names in JSON, including whole arrays and objects. Other text is unchanged; truncated
/// JSON is scrubbed as far as it goes. One pass, linear.
package struct JSONScrubber {
    private let scrubber: CredentialScrubber

    package init(scrubber: CredentialScrubber) { self.scrubber = scrubber }

    package func scrubbed(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let nameEnd = Self.stringEnd(bytes, index)
            result += bytes[index..<nameEnd]
            var next = Self.skippingSpace(bytes, nameEnd)
            guard next < bytes.count, bytes[next] == UInt8(ascii: ":"),
                scrubber.isSecret(String(decoding: bytes[(index + 1)..<max(index + 1, nameEnd - 1)], as: UTF8.self))
            else {
                index = nameEnd
                continue
            }
            next = Self.skippingSpace(bytes, next + 1)
            result += bytes[nameEnd..<next]
            result += "\"\(CredentialScrubber.replacement)\"".utf8
            index = Self.valueEnd(bytes, next)
        }
        return result == bytes ? text : String(decoding: result, as: UTF8.self)
    }

    /// The index after the closing quote of the string that begins at `start`.
    private static func stringEnd(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start + 1
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\") {
                index += 2
            } else if bytes[index] == UInt8(ascii: "\"") {
                return index + 1
            } else {
                index += 1
            }
        }
        return bytes.count
    }

    private static func skippingSpace(_ bytes: [UInt8], _ start: Int) -> Int {
        bytes[start...].firstIndex { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } ?? bytes.count
    }

    /// The index after the value that begins at `start`: a string, number, word or bracketed value.
    package static func valueEnd(_ bytes: [UInt8], _ start: Int) -> Int {
        var depth = 0
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index = stringEnd(bytes, index)
                if depth == 0 { return index }
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ",") where depth == 0:
                return index
            default:
                break
            }
            index += 1
        }
        return bytes.count
    }
}
