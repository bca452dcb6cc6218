import DaybookBase

/// Masks a record's attributes like ``MaskingPolicy``, in one pass over their bytes: most are flat objects in the form
/// in which ``JSONWriter`` writes them. Of any other text it says that it is unsure, and the policy decides.
///
/// What it learns of a name is kept, so it allocates nothing for a record whose names and private values it has seen.
package struct FlatMask: Sendable {
    package enum Outcome: Sendable {
        case same
        /// ``FlatMask/output`` has the masked text.
        case changed
        case unsure
    }

    private enum Kind: Sendable {
        case null
        /// A text without escapes.
        case text
        case integer
        case decimal
        case boolean
        /// A text with escapes, an array, an object, or a number that the writer writes otherwise; perhaps no JSON.
        case other
    }

    private struct Name: Sendable {
        var isSecret: Bool
        /// Whether senders list their private names under it.
        var isList: Bool
        /// Whether it is shown even where a sender calls it private.
        var isAlwaysShown: Bool
        /// Whether it is hidden unless an event declares it otherwise.
        var isPrivate: Bool
        /// Numbers of the tags of such events.
        var openTags: [Int]
        /// The number of the folded name, which names in other spellings share.
        var folded: Int
        /// The last text that had it.
        var turn = 0
    }

    private struct Member: Sendable {
        var name: Int
        var value: Range<Int>
        var kind: Kind
    }

    /// Most known names; a text with another one is left to the policy.
    private static let mostNames = 16_384
    private static let mostStandIns = 16_384
    private static let mostStandInBytes = 1 << 20
    private static let mask = Array("\"\(Record.mask)\"".utf8)
    private static let redacted = Array("\"\(CredentialScrubber.replacement)\"".utf8)

    /// The masked text.
    package private(set) var output: [UInt8] = []
    /// Numbers of the folded names that the last text marks as private, ascending.
    package private(set) var told: [Int] = []
    private let policy: MaskingPolicy
    private let sieve: MaskingSieve
    private let scrubber = CredentialScrubber()
    /// The tags of events that declare a private name otherwise.
    private var tags = ByteNumbers()
    private var numbers = ByteNumbers()
    private var names: [Name] = []
    private var folded: [String: Int] = [:]
    private var members: [Member] = []
    private var turn = 0
    /// Stand-ins by private values, both as JSON.
    private var values = ByteNumbers()
    private var standIns: [[UInt8]] = []

    package init(_ policy: MaskingPolicy, _ sieve: MaskingSieve) {
        self.policy = policy
        self.sieve = sieve
        for tag in policy.open.keys.sorted() {
            var tag = tag
            tag.withUTF8 { _ = tags.add($0) }
        }
    }

    /// The number of a tag whose event declares a private name otherwise; `nil` for other tags.
    package func number(ofTag tag: UnsafeBufferPointer<UInt8>) -> Int? { tags.number(of: tag) }

    /// The numbers of folded names, as in ``told``; `nil` if there are too many names.
    package mutating func numbers(of names: Set<String>) -> [Int]? {
        var found: [Int] = []
        for name in names {
            guard let number = number(ofFolded: name) else { return nil }
            found.append(number)
        }
        return found.sorted()
    }

    private mutating func number(ofFolded name: String) -> Int? {
        if let known = folded[name] { return known }
        guard folded.count < Self.mostNames else { return nil }
        folded[name] = folded.count
        return folded.count - 1
    }

    private mutating func number(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        if let known = numbers.number(of: name) { return known }
        let text = String(decoding: name, as: UTF8.self)
        let foldedName = FoldedName.of(text)
        guard names.count < Self.mostNames, let folded = number(ofFolded: foldedName) else { return nil }
        let openTags = policy.open.filter { $0.value.contains(foldedName) }.keys.compactMap { tag in
            var tag = tag
            return tag.withUTF8(tags.number)
        }
        names.append(
            Name(
                isSecret: scrubber.isSecret(text), isList: MaskingPolicy.lists.contains(text),
                isAlwaysShown: MaskingPolicy.always.contains(foldedName),
                isPrivate: policy.names.contains(foldedName), openTags: openTags, folded: folded))
        return numbers.add(name)
    }

    // MARK: Reading

    /// Reads a text's members, for ``mask(_:of:alsoTold:)``.
    /// - Returns: Whether it is a flat object with plain names, each of them once.
    package mutating func read(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        members.removeAll(keepingCapacity: true)
        told.removeAll(keepingCapacity: true)
        turn += 1
        guard text.count >= 2, text[0] == UInt8(ascii: "{"), text[text.count - 1] == UInt8(ascii: "}") else {
            return false
        }
        var place = text.count == 2 ? 1 : 0
        var hasOther = false
        while place < text.count - 1 {
            guard let (number, start) = name(text, place + 1), names[number].turn != turn,
                let (kind, end) = value(text, start), end < text.count,
                text[end] == UInt8(ascii: ",") || end == text.count - 1
            else { return false }
            names[number].turn = turn
            if !names[number].isList {
                members.append(Member(name: number, value: start..<end, kind: kind))
                hasOther = hasOther || kind == .other
            } else if !tell(text, start..<end) {
                return false
            }
            place = end
        }
        if told.count > 1 { told.sort() }
        return told.isEmpty || !hasOther
    }

    /// A quoted name and the place after its colon.
    private mutating func name(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> (number: Int, end: Int)? {
        guard let end = plainEnd(text, place), end < text.count, text[end] == UInt8(ascii: ":"),
            let number = number(of: .init(rebasing: text[(place + 1)..<(end - 1)]))
        else { return nil }
        return (number, end + 1)
    }

    /// The place after a quoted text of visible ASCII without escapes.
    private func plainEnd(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int? {
        guard place < text.count, text[place] == UInt8(ascii: "\"") else { return nil }
        var end = place + 1
        while end < text.count, text[end] != UInt8(ascii: "\"") {
            guard (0x21...0x7E).contains(text[end]), text[end] != UInt8(ascii: "\\") else { return nil }
            end += 1
        }
        return end < text.count ? end + 1 : nil
    }

    /// Reads a list of private names.
    private mutating func tell(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
        guard text[range.lowerBound] == UInt8(ascii: "[") else { return false }
        var place = range.lowerBound
        while place < range.upperBound - 1 {
            guard let end = plainEnd(text, place + 1),
                let number = number(of: .init(rebasing: text[(place + 2)..<(end - 1)])),
                text[end] == UInt8(ascii: ",") || end == range.upperBound - 1
            else { return false }
            let folded = names[number].folded
            if !names[number].isAlwaysShown, !told.contains(folded) { told.append(folded) }
            place = end
        }
        return true
    }

    private func value(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> (kind: Kind, end: Int)? {
        guard start < text.count else { return nil }
        switch text[start] {
        case UInt8(ascii: "\""):
            guard let (isPlain, end) = textEnd(text, start) else { return nil }
            return (isPlain ? .text : .other, end)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return containerEnd(text, start).map { (.other, $0) }
        case UInt8(ascii: "t"): return word("true", text, start).map { (.boolean, $0) }
        case UInt8(ascii: "f"): return word("false", text, start).map { (.boolean, $0) }
        case UInt8(ascii: "n"): return word("null", text, start).map { (.null, $0) }
        default: return number(text, start)
        }
    }

    private func word(_ word: StaticString, _ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        let end = start + word.utf8CodeUnitCount
        guard end <= text.count else { return nil }
        return text[start..<end].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: end - start))
            ? end : nil
    }

    private func textEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> (isPlain: Bool, end: Int)? {
        var isPlain = true
        var end = start + 1
        while end < text.count {
            switch text[end] {
            case UInt8(ascii: "\""): return (isPlain, end + 1)
            case UInt8(ascii: "\\"):
                isPlain = false
                end += 2
            case 0..<0x20: return nil
            default: end += 1
            }
        }
        return nil
    }

    private func containerEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        var depth = 0
        var place = start
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "\""):
                guard let (_, end) = textEnd(text, place) else { return nil }
                place = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return place + 1 }
            default: break
            }
            place += 1
        }
        return nil
    }

    /// Up to 15 digits are the shortest text of their double.
    private func number(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> (kind: Kind, end: Int)? {
        let first = text[start] == UInt8(ascii: "-") ? start + 1 : start
        guard let point = digitsEnd(text, first), point == first + 1 || text[first] != UInt8(ascii: "0"),
            point - first <= 100
        else { return nil }
        guard point < text.count, text[point] == UInt8(ascii: ".") else {
            let isNegativeZero = first > start && text[first] == UInt8(ascii: "0")
            return (point - first <= 18 && !isNegativeZero ? .integer : .other, point)
        }
        guard let end = digitsEnd(text, point + 1) else { return nil }
        // The writer ends in no zero but that of 1.0, and writes the smallest with exponents.
        let isSmall = text[first..<min(end, point + 5)].allSatisfy {
            $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".")
        }
        let isCanonical = end - point == 2 || text[end - 1] != UInt8(ascii: "0") && !isSmall
        return (isCanonical && end - first <= 16 ? .decimal : .other, end)
    }

    private func digitsEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        var end = start
        while end < text.count, (0x30...0x39).contains(text[end]) { end += 1 }
        return end > start ? end : nil
    }

    // MARK: Masking

    /// Masks the text that was read last.
    /// - Parameters:
    ///   - tag: The record's tag.
    ///   - others: Numbers of folded names that the record's context marks as private.
    package mutating func mask(
        _ text: UnsafeBufferPointer<UInt8>, of tag: UnsafeBufferPointer<UInt8>, alsoTold others: [Int]
    ) -> Outcome {
        output.removeAll(keepingCapacity: true)
        var copied = 0
        let hasTold = !told.isEmpty || !others.isEmpty
        var (isSuspect, hasOther) = (false, false)
        for index in members.indices {
            let (name, range, kind) = (members[index].name, members[index].value, members[index].kind)
            let value = UnsafeBufferPointer(rebasing: text[range])
            if kind == .other { hasOther = true }
            if names[name].isPrivate || names[name].isSecret { isSuspect = true }
            let isHidden =
                hasTold && isTold(names[name].folded, others) || names[name].isPrivate && !isOpen(name, tag)
            if isHidden || names[name].isSecret {
                isSuspect = true
                if kind == .null || value.elementsEqual(Self.mask) { continue }
                guard let standIn = isHidden ? standIn(for: value, kind) : Self.redacted else { return .unsure }
                if value.elementsEqual(standIn) { continue }
                output += text[copied..<range.lowerBound]
                output += standIn
                copied = range.upperBound
            } else if kind == .text || kind == .other {
                // A name that is told may stand in quotes.
                if hasTold, kind == .other || value.contains(UInt8(ascii: "'")) { return .unsure }
                if sieve.suspects(value) { return .unsure }
            }
        }
        // Perhaps the whole is no JSON, which the policy masks otherwise.
        if isSuspect, hasOther { return .unsure }
        if copied == 0 { return .same }
        output += text[copied...]
        return .changed
    }

    private func isTold(_ folded: Int, _ others: [Int]) -> Bool { told.contains(folded) || others.contains(folded) }

    /// Whether a tag's event declares the name as not private.
    private func isOpen(_ name: Int, _ tag: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !names[name].openTags.isEmpty, let tag = tags.number(of: tag) else { return false }
        return names[name].openTags.contains(tag)
    }

    private mutating func standIn(for value: UnsafeBufferPointer<UInt8>, _ kind: Kind) -> [UInt8]? {
        guard let pseudonyms = policy.pseudonyms else { return Self.mask }
        if let known = values.number(of: value) { return standIns[known] }
        if standIns.count >= Self.mostStandIns || values.byteCount > Self.mostStandInBytes {
            (values, standIns) = (ByteNumbers(), [])
        }
        let meant: Value
        switch kind {
        case .text: meant = .string(String(streamSafe: value.dropFirst().dropLast()))
        case .boolean: meant = .bool(value.count == 4)
        case .integer:
            guard let number = Int64(String(decoding: value, as: UTF8.self)) else { return nil }
            meant = .int(number)
        case .decimal:
            guard let number = Double(String(decoding: value, as: UTF8.self)) else { return nil }
            meant = .double(number)
        case .null, .other: return nil
        }
        let standIn = Array(JSONWriter.text(pseudonyms.standIn(for: meant)).utf8)
        standIns.append(standIn)
        _ = values.add(value)
        return standIn
    }
}
