/// Writes RFC 4648, section 4, with padding; reads sections 4 and 5, with or without padding.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var group: UInt32 = 0
            for place in 0..<3 { group = group << 8 | (place < count ? UInt32(bytes[index + place]) : 0) }
            for place in 0..<4 {
                let digit = Int(truncatingIfNeeded: group >> UInt32(18 - 6 * place) & 63)
                text.append(place <= count ? alphabet[digit] : UInt8(ascii: "="))
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` if invalid.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        var group: UInt32 = 0
        var digits = 0
        var padding = 0
        for unit in text.utf8 {
            if unit == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let digit = value(of: unit) else { return nil }
            group = group << 6 | digit
            digits += 1
            if digits % 4 == 0 {
                bytes.append(contentsOf: [UInt8(group >> 16 & 255), UInt8(group >> 8 & 255), UInt8(group & 255)])
                group = 0
            }
        }
        switch digits % 4 {
        case 2: bytes.append(UInt8(group >> 4 & 255))
        case 3: bytes.append(contentsOf: [UInt8(group >> 10 & 255), UInt8(group >> 2 & 255)])
        case 1: return nil
        default: break
        }
        let isPadded = padding == 0 || (digits + padding) % 4 == 0 && padding <= 2
        return isPadded ? bytes : nil
    }

    private static func value(of unit: UInt8) -> UInt32? {
        switch unit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(unit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(unit - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(unit - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
