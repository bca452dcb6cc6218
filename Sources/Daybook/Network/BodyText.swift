import Foundation

/// A body as text that may be shown: without credentials, cut to a size. Pure.
enum BodyText {
    /// The text, or `nil` for what is none (images, archives) and for an empty body.
    /// - Parameter limit: At most so many bytes of UTF-8.
    static func text(of body: Data?, limit: Int, scrubber: CredentialScrubber) -> String? {
        guard let body, !body.isEmpty else { return nil }
        // A character that is cut in two at the end is no reason to take the text for none.
        let looked = body.prefix(limit + 4)
        let text = String(decoding: looked, as: UTF8.self)
        let tail = text.unicodeScalars.suffix(looked.count < body.count ? 4 : 0).count
        let isText = !text.unicodeScalars.dropLast(tail).contains { scalar in
            scalar == "\u{FFFD}" || scalar.value < 0x20 && !["\t", "\n", "\r"].contains(scalar)
        }
        guard isText else { return nil }
        // Redacted before it is cut: half of a secret's name would hide the secret from the search.
        let clean = scrubber.scrubbed(JSONScrubber(scrubber: scrubber).scrubbed(text))
        return clean.cut(toUTF8Bytes: limit)
    }
}

/// Replaces the values of secret names in JSON text, whole: also arrays and objects. What is no JSON comes out as it is,
/// and a text that ends too early is scrubbed as far as it goes. One pass, linear.
struct JSONScrubber {
    let scrubber: CredentialScrubber

    func scrubbed(_ text: String) -> String {
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
            result += "\"\(Redact.replacement)\"".utf8
            index = Self.valueEnd(bytes, next)
        }
        return result == bytes ? text : String(decoding: result, as: UTF8.self)
    }

    /// Behind the closing quote of the string that begins at `start`.
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

    /// Behind the value that begins at `start`: a string, a number or word, or all within brackets.
    private static func valueEnd(_ bytes: [UInt8], _ start: Int) -> Int {
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
