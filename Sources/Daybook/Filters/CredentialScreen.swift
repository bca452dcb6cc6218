/// Decides from a record's bytes whether a ``CredentialScrubber`` has nothing to do. Pure; one pass, no allocation.
///
/// If it says so, the scrubber changes nothing; the converse need not hold. It looks for what every credential needs: a
/// secret name before `=` or `:`, the word `bearer` or `basic`, `eyJ`, or an `@` after `://`.
struct CredentialScreen: Sendable {
    /// A power of two, at least four per name.
    private let slots: [UInt64]
    private let isASCII: Bool

    /// - Parameter names: Normalised, as the scrubber's.
    init(names: Set<String>) {
        isASCII = names.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
        var count = 16
        while count < names.count * 4 { count *= 2 }
        var slots = [UInt64](repeating: 0, count: count)
        for name in names {
            var hash = NameHash()
            for byte in name.utf8 { hash.add(byte) }
            var index = hash.value
            while slots[Int(truncatingIfNeeded: index & UInt64(count - 1))] != 0 { index &+= 1 }
            slots[Int(truncatingIfNeeded: index & UInt64(count - 1))] = hash.value
        }
        self.slots = slots
    }

    /// FNV-1a of a name, ignoring case and separators; equal names have equal hashes.
    private struct NameHash {
        private var hash = FNV1a()

        @inline(__always)
        var value: UInt64 { hash.value }

        @inline(__always)
        mutating func add(_ byte: UInt8) {
            if byte == 0x2D || byte == 0x5F || byte == 0x2E { return }
            hash.add((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
        }
    }

    @inline(__always)
    private func isKnown(_ hash: NameHash) -> Bool {
        var index = hash.value
        while true {
            let slot = slots[Int(truncatingIfNeeded: index & UInt64(slots.count &- 1))]
            if slot == hash.value { return true }
            if slot == 0 { return false }
            index &+= 1
        }
    }

    // MARK: Records

    /// Whether the scrubber would not change this `LogRecord` or, with `isSpan`, `Span`.
    func isClean(_ payload: UnsafeRawBufferPointer, isSpan: Bool) -> Bool {
        var reader = ProtobufReader(payload)
        do throws(ProtobufError) {
            while let field = try reader.nextField() {
                guard case .lengthDelimited = field.wireType else {
                    try reader.skip(field)
                    continue
                }
                let bytes = try reader.bytes()
                let isClean =
                    switch (field.number, isSpan) {
                    case (5, false): try isClean(value: bytes, depth: 0)
                    case (6, false), (9, true): try isClean(entry: bytes, depth: 0)
                    case (5, true): isClean(text: bytes)
                    case (15, true): try isClean(status: bytes)
                    default: true
                    }
                if !isClean { return false }
            }
            return true
        } catch {
            return false
        }
    }

    private func isClean(status bytes: UnsafeRawBufferPointer) throws(ProtobufError) -> Bool {
        var reader = ProtobufReader(bytes)
        while let field = try reader.nextField() {
            if case .lengthDelimited = field.wireType {
                if !isClean(text: try reader.bytes()) { return false }
            } else {
                try reader.skip(field)
            }
        }
        return true
    }

    /// Deeper containers are left to the scrubber.
    private static let maximumDepth = 8

    /// A `KeyValue`.
    private func isClean(entry bytes: UnsafeRawBufferPointer, depth: Int) throws(ProtobufError) -> Bool {
        guard depth < Self.maximumDepth else { return false }
        var reader = ProtobufReader(bytes)
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited):
                let name = try reader.bytes()
                if depth == 0, Self.isOwn(name) { return true }
                // Names that fold are left to the scrubber.
                if isSecret(name: name) || name.contains(where: { !(0x21...0x7E).contains($0) }) { return false }
            case (2, .lengthDelimited):
                if try !isClean(value: reader.bytes(), depth: depth) { return false }
            default: try reader.skip(field)
            }
        }
        return true
    }

    /// Whether the attribute is a field of the record that is not scrubbed: the tag or the call site.
    private static func isOwn(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 11: equals(name, WireName.tag)
        case 14: equals(name, WireName.file)
        case 16: equals(name, WireName.line)
        case 18: equals(name, WireName.function) || equals(name, WireName.column)
        default: false
        }
    }

    private static func equals(_ bytes: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
        name.withUTF8Buffer { bytes.elementsEqual($0) }
    }

    /// An `AnyValue`.
    private func isClean(value bytes: UnsafeRawBufferPointer, depth: Int) throws(ProtobufError) -> Bool {
        guard depth < Self.maximumDepth else { return false }
        var reader = ProtobufReader(bytes)
        while let field = try reader.nextField() {
            guard case .lengthDelimited = field.wireType else {
                try reader.skip(field)
                continue
            }
            let content = try reader.bytes()
            switch field.number {
            case 1: if !isClean(text: content) { return false }
            case 5, 6:
                var items = ProtobufReader(content)
                while let item = try items.nextField() {
                    guard case .lengthDelimited = item.wireType else {
                        try items.skip(item)
                        continue
                    }
                    let bytes = try items.bytes()
                    let isClean =
                        field.number == 5
                        ? try isClean(value: bytes, depth: depth + 1) : try isClean(entry: bytes, depth: depth + 1)
                    if !isClean { return false }
                }
            default: break
            }
        }
        return true
    }

    // MARK: Names and texts

    /// Whether this name's value may be a secret: by the whole name, or the term after its last dot.
    private func isSecret(name: UnsafeRawBufferPointer) -> Bool {
        var (whole, term) = (NameHash(), NameHash())
        for byte in name {
            if byte >= 0x80, !isASCII { return true }
            if byte == 0x2E { term = NameHash() }
            whole.add(byte)
            term.add(byte)
        }
        return isKnown(whole) || isKnown(term)
    }

    /// Bytes that need a closer look: space, quotes, `:`, `=`, `@` and the `J` of `eyJ`.
    private static let triggers: (UInt64, UInt64) = (
        1 << 0x20 | 1 << 0x22 | 1 << 0x27 | 1 << 0x3A | 1 << 0x3D, 1 << (0x40 - 64) | 1 << (0x4A - 64)
    )

    func isClean(text bytes: UnsafeRawBufferPointer) -> Bool {
        var hasAuthority = false
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte < 0x80, (byte < 64 ? Self.triggers.0 : Self.triggers.1) >> UInt64(byte & 63) & 1 == 1 else {
                continue
            }
            switch byte {
            case 0x3A, 0x3D:
                if isSecret(wordEndingAt: index, in: bytes) { return false }
                if byte == 0x3A, index + 2 < bytes.count, bytes[index + 1] == 0x2F, bytes[index + 2] == 0x2F {
                    hasAuthority = true
                }
            case 0x40: if hasAuthority { return false }
            case 0x4A: if index >= 2, bytes[index - 1] == 0x79, bytes[index - 2] == 0x65 { return false }
            default: if isScheme(endingAt: index, in: bytes) { return false }
            }
        }
        return true
    }

    /// Whether `bearer` or `basic` ends here.
    private func isScheme(endingAt end: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard end >= 5 else { return false }
        switch bytes[end - 1] | 0x20 {
        case 0x63: return ends(end, in: bytes, with: "basic")
        case 0x72: return ends(end, in: bytes, with: "bearer")
        default: return false
        }
    }

    private func ends(_ end: Int, in bytes: UnsafeRawBufferPointer, with word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            end >= word.count
                && zip(bytes[(end - word.count)..<end], word).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    /// Whether the word before a separator is a secret name; quotes and spaces may stand between.
    private func isSecret(wordEndingAt separator: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        var end = separator
        while end > 0, CredentialScrubber.isPadding(bytes[end - 1]) { end -= 1 }
        var start = end
        while start > 0, end - start < CredentialScrubber.longestName, CredentialScrubber.isNameByte(bytes[start - 1]) {
            start -= 1
        }
        return isSecret(name: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }
}
