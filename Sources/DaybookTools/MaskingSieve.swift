import DaybookBase

/// Quickly recognizes most JSON texts in which a policy masks nothing, so that they need not be parsed: one pass, no
/// allocation. Pure.
///
/// ``MaskingPolicy`` never changes a text that passes. False positives are possible; the policy then decides.
package struct MaskingSieve: Sendable {
    /// What may follow a listed word.
    private enum Sequel: UInt8 {
        /// `:` or `=`: the value of a secret name.
        case value = 1
        /// Space: an authorization scheme.
        case space = 2
    }

    private static let letters = 26
    /// A trie: for each node and letter the next node, 0 for none.
    private var next: [UInt16] = Array(repeating: 0, count: letters)
    /// For each node, what must follow the word that ends there; 0 if none does.
    private var sequels: [UInt8] = [0]
    /// Folded names of private columns with plain letters, by first byte.
    private var names: [[[UInt8]]] = Array(repeating: [], count: 128)
    /// For each byte, whether something to mask may begin with it.
    private var starts: [Bool] = Array(repeating: false, count: 256)
    private let columns: Set<String>
    private let scrubber = CredentialScrubber()

    /// - Parameter columns: the private columns, folded.
    package init(columns: Set<String>) {
        self.columns = columns.union(MaskingPolicy.lists)
        for name in CredentialScrubber.credentialNames { add(name, .value) }
        add("bearer", .space)
        add("basic", .space)
        for name in self.columns {
            let bytes = Array(name.utf8)
            if let first = bytes.first, first < 0x80 { names[Int(first)].append(bytes) }
        }
        for byte in "\"'\\:e".utf8 { starts[Int(byte)] = true }
        for letter in 0..<Self.letters where next[letter] != 0 {
            starts[0x41 + letter] = true
            starts[0x61 + letter] = true
        }
    }

    private mutating func add(_ word: String, _ sequel: Sequel) {
        var node = 0
        for letter in word.utf8 {
            let place = node * Self.letters + Int(letter - UInt8(ascii: "a"))
            if next[place] == 0 {
                next[place] = UInt16(sequels.count)
                sequels.append(0)
                next += Array(repeating: 0, count: Self.letters)
            }
            node = Int(next[place])
        }
        sequels[node] |= sequel.rawValue
    }

    /// Whether the policy may mask something in the text.
    package func suspects(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        next.withUnsafeBufferPointer { next in
            sequels.withUnsafeBufferPointer { sequels in
                starts.withUnsafeBufferPointer { starts in
                    for place in text.indices where starts[Int(text[place])] && suspects(text, place, next, sequels) {
                        return true
                    }
                    return false
                }
            }
        }
    }

    @inline(__always)
    private func suspects(
        _ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ next: UnsafeBufferPointer<UInt16>,
        _ sequels: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let byte = text[place]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return isName(text, place)
        // Escapes can hide letters and slashes; those of quotes, backslashes and line ends are common, and hide
        // nothing.
        case UInt8(ascii: "\\"):
            return place + 1 < text.count && (text[place + 1] | 0x20 == UInt8(ascii: "u") || text[place + 1] == 0x2F)
        case UInt8(ascii: ":"): return isUser(text, place + 1)
        case UInt8(ascii: "e") where isWebToken(text, place): return true
        default:
            let letter = (byte | 0x20) &- UInt8(ascii: "a")
            return letter < UInt8(Self.letters) && next[Int(letter)] != 0 && isWord(text, place, next, sequels)
        }
    }

    /// Whether a hidden name, in any spelling, begins after a quote.
    private func isName(_ text: UnsafeBufferPointer<UInt8>, _ mark: Int) -> Bool {
        guard let name = QuotedNames.name(in: text, from: mark) else { return false }
        guard name.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C }) else {
            let folded = QuotedNames.folded(name)
            return columns.contains(folded) || scrubber.isSecret(folded)
        }
        guard let first = name.first else { return columns.contains("") }
        return names[Int(Self.lowercased(first))].contains { known in
            known.count == name.count && known.indices.allSatisfy { known[$0] == Self.lowercased(name[$0]) }
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// `//user:password@`.
    private func isUser(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
        guard start + 1 < text.count, text[start] == 0x2F, text[start + 1] == 0x2F else { return false }
        for place in (start + 2)..<max(start + 2, text.count) {
            switch text[place] {
            case 0x40: return true
            case 0x2F, 0x20, 0x3F, 0x23, 0x22: return false
            default: continue
            }
        }
        return false
    }

    private func isWebToken(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
        start + 2 < text.count && text[start + 1] == UInt8(ascii: "y") && text[start + 2] == UInt8(ascii: "J")
    }

    /// Whether a word of the trie begins here, in any case and with any separators, and its sequel follows.
    private func isWord(
        _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ next: UnsafeBufferPointer<UInt16>,
        _ sequels: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var (node, place) = (0, start)
        while place < text.count {
            let byte = text[place]
            let letter = (byte | 0x20) &- UInt8(ascii: "a")
            if letter < UInt8(Self.letters) {
                node = Int(next[node * Self.letters + Int(letter)])
                guard node != 0 else { return false }
                if sequels[node] != 0, follows(text, place + 1, sequels[node]) { return true }
            } else if !Self.separates(byte) {
                return false
            }
            place += 1
        }
        return false
    }

    private func follows(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ sequels: UInt8) -> Bool {
        var place = start
        while place < text.count, Self.separates(text[place]) { place += 1 }
        let end = place
        while place < text.count, CredentialScrubber.isPadding(text[place]) { place += 1 }
        if sequels & Sequel.space.rawValue != 0, place > end { return true }
        guard sequels & Sequel.value.rawValue != 0, place < text.count else { return false }
        return text[place] == UInt8(ascii: ":") || text[place] == UInt8(ascii: "=")
    }

    /// Separators within names.
    private static func separates(_ byte: UInt8) -> Bool { byte == 0x2D || byte == 0x5F || byte == 0x2E }
}
