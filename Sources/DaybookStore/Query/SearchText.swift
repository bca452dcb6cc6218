import DaybookBase
import Foundation

/// A search text, in plain form for tag and message, and in JSON form for attributes.
package struct SearchText: Hashable {
    package let plain: [UInt8]
    /// Folded, with JSON's escapes.
    package let quoted: [UInt8]

    package init(_ text: String) {
        plain = TextFolding.bytes(of: text)
        var json: [UInt8] = []
        JSONWriter.write(text, into: &json)
        quoted = TextFolding.bytes(of: String(decoding: json.dropFirst().dropLast(), as: UTF8.self))
    }

    /// Whether it occurs in the visible part of a row.
    func occurs(in seen: SeenRow, using buffer: FoldingBuffer) -> Bool {
        let row = seen.row
        if Self.contains(row.tag, plain, buffer) { return true }
        guard let shown = seen.shown else {
            return row.message.map { Self.contains($0, plain, buffer) } == true
                || Self.contains(row.attributes, plain, buffer)
                || quoted != plain && Self.contains(row.attributes, quoted, buffer)
        }
        return ShownRuns(of: shown.message ?? "", in: row.message ?? "").runs.contains {
            Self.contains(String($0), plain, buffer)
        }
            || ShownRuns(of: shown.attributes, in: row.attributes).runs.contains {
                Self.contains(String($0), plain, buffer)
                    || quoted != plain && Self.contains(String($0), quoted, buffer)
            }
    }

    private static func contains(_ text: String, _ needle: [UInt8], _ buffer: FoldingBuffer) -> Bool {
        var text = text
        return text.withUTF8 { units in
            let folded = buffer.fold(units)
            return needle.withUnsafeBufferPointer { folded.contains($0) }
        }
    }
}

/// What searches compare: Unicode's compatibility form (NFKC), in lower case and katakana.
///
/// So `egg` finds `EGG` and `ＥＧＧ`, `かたかな` and `カタカナ` find `ｶﾀｶﾅ`, and `é` finds its one- and two-character forms.
/// Accents matter. Source: Unicode Standard Annex 15, *Normalization Forms*.
package enum TextFolding {
    package static func bytes(of text: String) -> [UInt8] {
        var text = text
        return text.withUTF8 { units in
            let buffer = FoldingBuffer()
            return Array(buffer.fold(units))
        }
    }
}

/// Folds texts into reused memory. Belongs to one thread at a time.
final class FoldingBuffer {
    // Owned by this object alone: allocated and freed here, lent to a caller until its next call.
    private var storage: UnsafeMutablePointer<UInt8>
    private var capacity: Int

    init() {
        capacity = 4_096
        storage = .allocate(capacity: capacity)
    }

    deinit { storage.deallocate() }

    /// The folded form of UTF-8; valid until the next call.
    func fold(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        reserve(text.count)
        var bits: UInt8 = 0
        for index in 0..<text.count {
            let byte = text[index]
            bits |= byte
            // Lowers capitals without a branch, so that the loop is vectorised.
            storage[index] = byte | (byte &- 0x41 < 26 ? 0x20 : 0)
        }
        if bits < 0x80 { return UnsafeBufferPointer(start: storage, count: text.count) }
        guard let count = foldEastAsian(text) else { return foldAny(text) }
        return UnsafeBufferPointer(start: storage, count: count)
    }

    /// Folds ASCII, kana, Chinese characters, their punctuation and full-width ASCII; `nil` for other text.
    private func foldEastAsian(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var read = 0
        var write = 0
        while read < text.count {
            let byte = text[read]
            if byte < 0x80 {
                storage[write] = byte | (byte &- 0x41 < 26 ? 0x20 : 0)
                read += 1
                write += 1
                continue
            }
            guard byte >= 0xE3, byte <= 0xEF, read + 2 < text.count else { return nil }
            let scalar = UInt32(byte & 0x0F) << 12 | UInt32(text[read + 1] & 0x3F) << 6 | UInt32(text[read + 2] & 0x3F)
            switch scalar {
            // None of these changes under NFKC, has case, or composes with a following one from these ranges.
            case 0x3041...0x3096, 0x309D...0x309E:
                let katakana = scalar + 0x60
                storage[write] = byte
                storage[write + 1] = 0x80 | UInt8(truncatingIfNeeded: katakana >> 6 & 0x3F)
                storage[write + 2] = 0x80 | UInt8(truncatingIfNeeded: katakana & 0x3F)
                write += 3
            case 0x3001...0x3029, 0x30A0...0x30FE, 0x4E00...0x9FFF:
                storage[write] = byte
                storage[write + 1] = text[read + 1]
                storage[write + 2] = text[read + 2]
                write += 3
            case 0xFF01...0xFF5E:
                let plain = UInt8(truncatingIfNeeded: scalar - 0xFEE0)
                storage[write] = plain | (plain &- 0x41 < 26 ? 0x20 : 0)
                write += 1
            default: return nil
            }
            read += 3
        }
        return write
    }

    private func foldAny(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let composed = String(streamSafe: text).compatiblyComposed.lowercased()
        var folded = String(String.UnicodeScalarView(composed.unicodeScalars.map(Self.katakana)))
        return folded.withUTF8 { units in
            reserve(units.count)
            for index in 0..<units.count { storage[index] = units[index] }
            return UnsafeBufferPointer(start: storage, count: units.count)
        }
    }

    private static func katakana(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x3041...0x3096, 0x309D...0x309E: Unicode.Scalar(scalar.value + 0x60) ?? scalar
        default: scalar
        }
    }

    private func reserve(_ count: Int) {
        guard count > capacity else { return }
        storage.deallocate()
        capacity = max(count, capacity * 2)
        storage = .allocate(capacity: capacity)
    }
}

extension UnsafeBufferPointer<UInt8> {
    func contains(_ needle: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = baseAddress, let needleStart = needle.baseAddress, !needle.isEmpty else {
            return needle.isEmpty
        }
        var offset = 0
        while count - offset >= needle.count,
            let found = memchr(start + offset, Int32(needle[0]), count - offset - needle.count + 1)
        {
            if memcmp(found, needleStart, needle.count) == 0 { return true }
            offset = UnsafeRawPointer(found) - UnsafeRawPointer(start) + 1
        }
        return false
    }
}
