/// Finds credentials in values and texts. Pure; one pass over a text, by bytes, linear in its length.
struct CredentialScrubber: Sendable {
    /// Normalised; see ``normalised(_:)``.
    let names: Set<String>

    /// A name without regard to case and separators: `X-Api_Key` is `xapikey`.
    static func normalised(_ name: String) -> String {
        String(decoding: name.utf8.filter { $0 != 0x2D && $0 != 0x5F && $0 != 0x2E }.map(lowercased), as: UTF8.self)
    }

    func scrubbed(_ attributes: Attributes) -> Attributes {
        var result = attributes
        for index in result.elements.indices {
            let element = result.elements[index]
            result.elements[index].value =
                isSecret(element.key) ? .string(Redact.replacement) : scrubbed(element.value)
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

    /// Whether the value of a name is a secret. A dotted name is judged by its last term too: `http.request.cookie`.
    func isSecret(_ name: String) -> Bool {
        if names.contains(Self.normalised(name)) { return true }
        guard let dot = name.lastIndex(of: ".") else { return false }
        return names.contains(Self.normalised(String(name[name.index(after: dot)...])))
    }

    /// The text without credentials.
    func scrubbed(_ text: String) -> String {
        // Every credential that is looked for comes behind one of these characters; most texts have none of them.
        guard text.utf8.contains(where: { $0 == 0x3D || $0 == 0x3A || $0 == 0x20 || $0 == 0x2E }) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let end = secretEnd(in: bytes, at: index) {
                result += Redact.replacement.utf8
                index = end
            } else {
                let next = wordEnd(in: bytes, from: index)
                result += bytes[index..<next]
                index = next
            }
        }
        return result.count == bytes.count && result == bytes ? text : String(decoding: result, as: UTF8.self)
    }

    /// The end of the secret that begins at `start`, if one does.
    private func secretEnd(in bytes: [UInt8], at start: Int) -> Int? {
        // What was replaced before stays: a text may be scrubbed twice on its way.
        guard isWordStart(bytes, start), !bytes[start...].starts(with: Redact.replacement.utf8) else { return nil }
        return webTokenEnd(bytes, start) ?? valueEnd(bytes, start)
    }

    /// `eyJ…​.…​.…`: a JSON web token is three base64url parts, the first of an object.
    private func webTokenEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard bytes[start...].starts(with: "eyJ".utf8) else { return nil }
        var end = start
        var dots = 0
        while end < bytes.count, Self.isTokenByte(bytes[end]) {
            if bytes[end] == 0x2E { dots += 1 }
            end += 1
        }
        return dots >= 2 ? end : nil
    }

    /// A value behind a secret name, a scheme of authorisation, or an address's user.
    private func valueEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard start > 0 else { return nil }
        var before = start
        // Quotes and spaces may stand between the separator and the value: `"password": "…"`.
        while before > 0, Self.isPadding(bytes[before - 1]) { before -= 1 }
        if before > 0, bytes[before - 1] == 0x3D || bytes[before - 1] == 0x3A {
            if isSecret(word(in: bytes, endingAt: before - 1)) { return Self.end(of: bytes, from: start) }
        } else if before < start {
            let scheme = word(in: bytes, endingAt: before).lowercased()
            // A short word after `bearer` or `basic` is prose.
            let end = Self.end(of: bytes, from: start)
            if scheme == "bearer" || scheme == "basic", end - start >= 8 { return end }
        }
        return userInfoEnd(bytes, start)
    }

    /// `scheme://user:password@host`: the part before the `@`.
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
        // Names are short; a longer word is none, and the search stays linear.
        while start > 0, end - start < Self.longestName, Self.isNameByte(bytes[start - 1]) { start -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private func isWordStart(_ bytes: [UInt8], _ index: Int) -> Bool {
        Self.isValueByte(bytes[index]) && (index == 0 || !Self.isNameByte(bytes[index - 1]))
    }

    private func wordEnd(in bytes: [UInt8], from start: Int) -> Int {
        guard Self.isNameByte(bytes[start]) else { return start + 1 }
        return bytes[start...].firstIndex { !Self.isNameByte($0) } ?? bytes.count
    }

    private static func end(of bytes: [UInt8], from start: Int) -> Int {
        bytes[start...].firstIndex { !isValueByte($0) } ?? bytes.count
    }

    /// In bytes; see ``word(in:endingAt:)``.
    static let longestName = 64

    /// What may stand between a name, its separator and its value: spaces and quotes.
    static func isPadding(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x22 || byte == 0x27 }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: byte >= 0x80
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool { (isNameByte(byte) && byte < 0x80) || byte == 0x2E }

    /// A secret goes on until something that ends a value in text, JSON, a query or a header.
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
