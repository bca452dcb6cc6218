/// The characters that one place of a pattern takes.
struct ScalarSet {
    enum Kind { case digit, word, space }

    private let ranges: [ClosedRange<Unicode.Scalar>]
    private let kinds: [Kind]
    private let isInverted: Bool
    private let ignoresCase: Bool
    /// The answers for ASCII.
    private var plain: [Bool] = []

    init(
        _ ranges: [ClosedRange<Unicode.Scalar>], _ kinds: [Kind] = [], isInverted: Bool = false,
        ignoresCase: Bool = false
    ) {
        (self.ranges, self.kinds, self.isInverted, self.ignoresCase) = (ranges, kinds, isInverted, ignoresCase)
        plain = (0..<128).map { judge(Unicode.Scalar(UInt8($0))) }
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 128 ? plain[Int(scalar.value)] : judge(scalar) }

    private func judge(_ scalar: Unicode.Scalar) -> Bool {
        guard ignoresCase else { return has(scalar) != isInverted }
        let cases = [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping].map(\.unicodeScalars)
        return (has(scalar) || cases.contains { $0.count == 1 && $0.allSatisfy(has) }) != isInverted
    }

    private func has(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar) } || kinds.contains { Self.isOf($0, scalar) }
    }

    static func isOf(_ kind: Kind, _ scalar: Unicode.Scalar) -> Bool {
        switch kind {
        case .digit: return ("0"..."9").contains(scalar)
        case .space: return scalar.properties.isWhitespace
        case .word:
            if scalar.value < 128 {
                return scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            }
            return scalar.properties.isAlphabetic || scalar.properties.generalCategory == .decimalNumber
        }
    }
}

/// Looks for a pattern in texts: all ways through the program at once, each place of it once for a character.
struct PatternMatcher {
    private let instructions: [PatternProgram.Instruction]
    /// Places of the program that wait for the next character, and for the one after it.
    private var waiting: [Int] = []
    private var coming: [Int] = []
    private var pending: [Int] = []
    /// For each place the last character at which it was reached.
    private var reached: [Int]
    private var character = 0
    /// Instructions that were run, of all texts.
    private(set) var steps = 0

    init(_ pattern: String) throws(PatternProgram.Mistake) {
        instructions = try PatternProgram(pattern).instructions
        reached = Array(repeating: 0, count: instructions.count)
    }

    /// Whether the pattern stands anywhere in the text.
    /// - Parameter stops: Asked before each character; `true` ends the search.
    /// - Returns: `nil` if it was stopped.
    mutating func isFound(in text: UnsafeBufferPointer<UInt8>, stops: (_ steps: Int) -> Bool = { _ in false }) -> Bool?
    {
        waiting.removeAll(keepingCapacity: true)
        var last: Unicode.Scalar?
        var decoder = UTF8()
        var bytes = text.makeIterator()
        while true {
            if stops(steps) { return nil }
            var next: Unicode.Scalar?
            switch decoder.decode(&bytes) {
            case .scalarValue(let scalar): next = scalar
            case .error: next = "\u{FFFD}"
            case .emptyInput: break
            }
            character += 1
            coming.removeAll(keepingCapacity: true)
            for place in waiting where follow(place, last, next) { return true }
            if follow(0, last, next) { return true }
            guard let next else { return false }
            waiting.removeAll(keepingCapacity: true)
            for place in coming {
                steps += 1
                if case .one(let set) = instructions[place], set.contains(next) { waiting.append(place + 1) }
            }
            last = next
        }
    }

    /// Follows a way between two characters up to the places that need one.
    /// - Returns: Whether it ends in a match.
    private mutating func follow(_ start: Int, _ last: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool {
        pending.append(start)
        while let place = pending.popLast() {
            if reached[place] == character { continue }
            reached[place] = character
            steps += 1
            switch instructions[place] {
            case .one: coming.append(place)
            case .start: if last == nil { pending.append(place + 1) }
            case .end: if next == nil { pending.append(place + 1) }
            case .boundary(let isWanted):
                if (isWord(last) != isWord(next)) == isWanted { pending.append(place + 1) }
            case .split(let one, let other):
                pending.append(place + other)
                pending.append(place + one)
            case .jump(let distance): pending.append(place + distance)
            case .match:
                pending.removeAll(keepingCapacity: true)
                return true
            }
        }
        return false
    }

    private func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { ScalarSet.isOf(.word, $0) } ?? false }
}
