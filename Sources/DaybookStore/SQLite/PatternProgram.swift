/// A regular expression as a program without backtracking: a text takes at most so many steps for each character as the
/// program has instructions, whatever the pattern.
///
/// Syntax: `.` (not a line feed), `[a-z]`, `[^…]`, `\d` (0 to 9), `\w` (letters, digits and `_` of any script), `\s`,
/// their opposites `\D`, `\W`, `\S`, `\b`, `\B`, `\n`, `\r`, `\t`, `*`, `+`, `?`, `{n}`, `{n,}`, `{n,m}` (also lazy),
/// `|`, `(…)`, `(?:…)`, `^`, `$` (the text's ends), and `(?i)` at the start. Any other sign is itself after `\`.
struct PatternProgram {
    enum Instruction {
        case one(ScalarSet)
        case start, end
        case boundary(Bool)
        /// Two ways on, relative to the instruction.
        case split(Int, Int)
        case jump(Int)
        case match
    }

    /// What a pattern cannot have, and where.
    struct Mistake: Error {
        let reason: String
        /// In characters, from 1.
        let place: Int
    }

    static let longest = 1_000
    static let mostInstructions = 2_000
    private static let mostRepetitions = 1_000
    private static let deepest = 50

    private(set) var instructions: [Instruction] = []

    private let pattern: [Unicode.Scalar]
    private var place = 0
    private var depth = 0
    private var ignoresCase = false

    init(_ text: String) throws(Mistake) {
        pattern = Array(text.unicodeScalars)
        guard pattern.count <= Self.longest else {
            throw Mistake(reason: "patterns have at most \(Self.longest) characters", place: Self.longest + 1)
        }
        if text.hasPrefix("(?i)") { (ignoresCase, place) = (true, 4) }
        instructions = try alternatives()
        if place < pattern.count { throw mistake("a ) without its (; write \\)") }
        instructions.append(.match)
    }

    private var next: Unicode.Scalar? { place < pattern.count ? pattern[place] : nil }

    private func mistake(_ reason: String) -> Mistake { Mistake(reason: reason, place: place + 1) }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        place += 1
        return true
    }

    private mutating func alternatives() throws(Mistake) -> [Instruction] {
        let first = try sequence()
        guard take("|") else { return first }
        let others = try alternatives()
        return [.split(1, first.count + 2)] + first + [.jump(others.count + 1)] + others
    }

    private mutating func sequence() throws(Mistake) -> [Instruction] {
        var sequence: [Instruction] = []
        while let next, next != "|", next != ")" {
            sequence += try repeated(try atom())
            guard sequence.count < Self.mostInstructions else { throw mistake("too many repetitions so far") }
        }
        return sequence
    }

    /// An atom with what follows it: `*`, `+`, `?` or `{n,m}`.
    private mutating func repeated(_ atom: [Instruction]) throws(Mistake) -> [Instruction] {
        var (least, most): (Int, Int?) = (1, 1)
        if take("*") {
            (least, most) = (0, nil)
        } else if take("+") {
            most = nil
        } else if take("?") {
            least = 0
        } else if take("{") {
            (least, most) = try bounds()
        } else {
            return atom
        }
        _ = take("?")
        if let next, "*+?{".unicodeScalars.contains(next) { throw mistake("a repetition of a repetition; use ( )") }
        guard max(least, most ?? 0) * max(atom.count + 1, 1) < Self.mostInstructions else {
            throw mistake("too many repetitions")
        }
        var result = Array(repeatElement(atom, count: least).joined())
        if let most {
            // Each further one may be the end.
            let rest = most - least
            for index in 0..<rest { result += [.split(1, (rest - index) * (atom.count + 1))] + atom }
        } else {
            result += [.split(1, atom.count + 2)] + atom + [.jump(-atom.count - 1)]
        }
        return result
    }

    private mutating func bounds() throws(Mistake) -> (Int, Int?) {
        let least = try number()
        if take("}") { return (least, least) }
        guard take(",") else { throw mistake("{ without a number, or }; write \\{ for the sign") }
        if take("}") { return (least, nil) }
        let most = try number()
        guard take("}"), least <= most else { throw mistake("{n,m} needs n up to m") }
        return (least, most)
    }

    private mutating func number() throws(Mistake) -> Int {
        var number = 0
        let start = place
        while let next, let digit = Self.digit(next), number <= Self.mostRepetitions {
            number = number * 10 + digit
            place += 1
        }
        guard place > start else { throw mistake("{ without a number; write \\{ for the sign") }
        guard number <= Self.mostRepetitions else { throw mistake("more than \(Self.mostRepetitions) repetitions") }
        return number
    }

    private static func digit(_ scalar: Unicode.Scalar) -> Int? {
        ("0"..."9").contains(scalar) ? Int(scalar.value - 0x30) : nil
    }

    private mutating func atom() throws(Mistake) -> [Instruction] {
        guard let scalar = next else { return [] }
        switch scalar {
        case "*", "+", "?", "{": throw mistake("\(scalar) without something to repeat; write \\\(scalar) for the sign")
        case "(": return try group()
        case "[": return [.one(try set())]
        case "\\": return [try escape()]
        default: place += 1
        }
        switch scalar {
        case ".": return [.one(ScalarSet(["\n"..."\n"], isInverted: true))]
        case "^": return [.start]
        case "$": return [.end]
        default: return [.one(ScalarSet([scalar...scalar], ignoresCase: ignoresCase))]
        }
    }

    private mutating func group() throws(Mistake) -> [Instruction] {
        place += 1
        if next == "?" {
            guard place + 1 < pattern.count, pattern[place + 1] == ":" else {
                throw mistake(
                    "(? with anything but : is not supported: no lookaround, no names, (?i) only at the start")
            }
            place += 2
        }
        depth += 1
        guard depth <= Self.deepest else { throw mistake("more than \(Self.deepest) ( in one another") }
        let inner = try alternatives()
        guard take(")") else { throw mistake("a ( without its ); write \\(") }
        depth -= 1
        return inner
    }

    private mutating func escape() throws(Mistake) -> Instruction {
        if place + 1 < pattern.count, pattern[place + 1] == "b" || pattern[place + 1] == "B" {
            place += 2
            return .boundary(pattern[place - 1] == "b")
        }
        switch try escaped() {
        case .kind(let kind, let isInverted): return .one(ScalarSet([], [kind], isInverted: isInverted))
        case .scalar(let scalar): return .one(ScalarSet([scalar...scalar], ignoresCase: ignoresCase))
        }
    }

    private enum Escaped {
        case kind(ScalarSet.Kind, isInverted: Bool)
        case scalar(Unicode.Scalar)
    }

    private mutating func escaped() throws(Mistake) -> Escaped {
        guard place + 1 < pattern.count else { throw mistake("a \\ at the end; write \\\\ for the sign") }
        let scalar = pattern[place + 1]
        let escaped: Escaped
        switch scalar {
        case "d", "D": escaped = .kind(.digit, isInverted: scalar == "D")
        case "w", "W": escaped = .kind(.word, isInverted: scalar == "W")
        case "s", "S": escaped = .kind(.space, isInverted: scalar == "S")
        case "n": escaped = .scalar("\n")
        case "r": escaped = .scalar("\r")
        case "t": escaped = .scalar("\t")
        case "0"..."9": throw mistake("\\\(scalar) is not supported: no references to groups")
        case "a"..."z", "A"..."Z": throw mistake("\\\(scalar) is not supported")
        default: escaped = .scalar(scalar)
        }
        place += 2
        return escaped
    }

    private mutating func set() throws(Mistake) -> ScalarSet {
        place += 1
        let isInverted = take("^")
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var kinds: [ScalarSet.Kind] = []
        while let scalar = next, scalar != "]" || ranges.isEmpty && kinds.isEmpty {
            if scalar == "[" || scalar == "]" { throw mistake("\(scalar) in [ ]; write \\\(scalar) for the sign") }
            guard let first = try member(&kinds) else { continue }
            guard next == "-", place + 1 < pattern.count, pattern[place + 1] != "]" else {
                ranges.append(first...first)
                continue
            }
            place += 1
            guard let last = try member(&kinds), first <= last else {
                throw mistake("a range that ends before it begins")
            }
            ranges.append(first...last)
        }
        guard take("]") else { throw mistake("a [ without its ]; write \\[") }
        return ScalarSet(ranges, kinds, isInverted: isInverted, ignoresCase: ignoresCase)
    }

    /// A character of a set; `nil` for a kind, which is added.
    private mutating func member(_ kinds: inout [ScalarSet.Kind]) throws(Mistake) -> Unicode.Scalar? {
        guard let scalar = next else { throw mistake("a [ without its ]; write \\[") }
        guard scalar == "\\" else {
            place += 1
            return scalar
        }
        switch try escaped() {
        case .scalar(let scalar): return scalar
        case .kind(let kind, isInverted: false): kinds.append(kind)
        case .kind: throw mistake("\\D, \\W or \\S in [ ]; write [^…]")
        }
        return nil
    }
}
