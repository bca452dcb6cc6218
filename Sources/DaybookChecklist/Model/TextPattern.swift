/// The regular expression of a `matches` test; it searches a text in time linear in its length.
///
/// The engine has its own, so that a checklist means the same on every platform and no expression can block it. It
/// supports what regular expressions have in common: `.`, `[a-z]`, `[^…]`, `\d \w \s` and their opposites, `\b`, `^`,
/// `$`, groups, `|`, `*`, `+`, `?`, `{2}`, `{2,}`, `{2,5}`. It has no back references and no look-around.
public struct TextPattern: Sendable, Hashable, CustomStringConvertible {
    /// Why a text is not a valid expression.
    public struct Problem: Error, Sendable, Hashable {
        /// The offset in the expression, in Unicode scalars.
        public var offset: Int
        public var message: String
    }

    /// The scalars that one position accepts.
    struct ScalarSet: Sendable, Hashable {
        var ranges: [ClosedRange<UInt32>]
        var isInverted = false

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            ranges.contains { $0.contains(scalar.value) } != isInverted
        }
    }

    /// An instruction of the program (Thompson's construction).
    enum Step: Sendable, Hashable {
        case scalar(ScalarSet)
        /// Continues at both places.
        case fork(Int, Int)
        case jump(Int)
        case start
        case end
        /// A word boundary; with `false`, its absence.
        case wordBoundary(Bool)
        case accept
    }

    /// The most instructions; repetitions are expanded.
    static let stepLimit = 2_000

    /// The expression as written between the slashes.
    public let description: String
    private let steps: [Step]

    /// Parses an expression.
    ///
    /// - Throws: what is wrong with it, and where.
    public init(_ text: String) throws(Problem) {
        description = text
        steps = try TextPatternParser.program(of: text)
    }

    /// Whether a text contains a match.
    public func matches(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        var current = Places(count: steps.count)
        var next = Places(count: steps.count)
        var previous: Unicode.Scalar?
        var index = scalars.startIndex
        while true {
            let scalar = index < scalars.endIndex ? scalars[index] : nil
            if add(0, to: &current, between: previous, and: scalar) { return true }
            guard let scalar else { return false }
            let following = scalars.index(after: index)
            let after = following < scalars.endIndex ? scalars[following] : nil
            for place in current.list {
                guard case .scalar(let set) = steps[place], set.contains(scalar) else { continue }
                if add(place + 1, to: &next, between: scalar, and: after) { return true }
            }
            swap(&current, &next)
            next.removeAll()
            previous = scalar
            index = following
        }
    }

    /// The states reached at one scalar, without duplicates.
    private struct Places {
        var list: [Int] = []
        private var isIn: [Bool]

        init(count: Int) { isIn = Array(repeating: false, count: count) }

        mutating func insert(_ place: Int) -> Bool {
            if isIn[place] { return false }
            isIn[place] = true
            list.append(place)
            return true
        }

        mutating func removeAll() {
            for place in list { isIn[place] = false }
            list.removeAll(keepingCapacity: true)
        }
    }

    /// Adds a state and those reachable without a scalar; returns whether the accepting state is among them.
    private func add(
        _ place: Int, to places: inout Places, between left: Unicode.Scalar?, and right: Unicode.Scalar?
    ) -> Bool {
        var waiting = [place]
        while let place = waiting.popLast() {
            guard places.insert(place) else { continue }
            switch steps[place] {
            case .scalar: break
            case .accept: return true
            case .jump(let target): waiting.append(target)
            case .fork(let one, let other): waiting += [other, one]
            case .start: if left == nil { waiting.append(place + 1) }
            case .end: if right == nil { waiting.append(place + 1) }
            case .wordBoundary(let wanted):
                if (Self.isWord(left) != Self.isWord(right)) == wanted { waiting.append(place + 1) }
            }
        }
        return false
    }

    static let digits = ScalarSet(ranges: [0x30...0x39])
    static let spaces = ScalarSet(ranges: [0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x2028...0x2029, 0x3000...0x3000])
    static let word = ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])

    private static func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map(word.contains) ?? false }
}
