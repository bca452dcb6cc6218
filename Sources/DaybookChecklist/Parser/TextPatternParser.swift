/// Compiles a regular expression to a program for ``TextPattern``.
struct TextPatternParser {
    private indirect enum Node {
        case empty
        case step(TextPattern.Step)
        case sequence([Node])
        case choice([Node])
        case repetition(Node, ClosedRange<Int>?, atLeast: Int)
    }

    private static let depthLimit = 50
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    static func program(of text: String) throws(TextPattern.Problem) -> [TextPattern.Step] {
        var parser = TextPatternParser(scalars: Array(text.unicodeScalars))
        let node = try parser.choice()
        if parser.position < parser.scalars.count { throw parser.problem("`)` without `(`") }
        var steps: [TextPattern.Step] = []
        guard append(node, to: &steps) else {
            throw TextPattern.Problem(
                offset: 0, message: "the expression is too long: over \(TextPattern.stepLimit) steps")
        }
        return steps + [.accept]
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func problem(_ message: String, at offset: Int? = nil) -> TextPattern.Problem {
        TextPattern.Problem(offset: offset ?? position, message: message)
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        position += 1
        return true
    }

    private mutating func choice() throws(TextPattern.Problem) -> Node {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw problem("groups are nested more than \(Self.depthLimit) deep") }
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(TextPattern.Problem) -> Node {
        var nodes: [Node] = []
        while let scalar = current, scalar != "|", scalar != ")" { nodes.append(try repeated()) }
        return nodes.isEmpty ? .empty : .sequence(nodes)
    }

    private mutating func repeated() throws(TextPattern.Problem) -> Node {
        let node = try atom()
        let start = position
        guard let scalar = current else { return node }
        let result: Node
        switch scalar {
        case "*": result = .repetition(node, nil, atLeast: 0)
        case "+": result = .repetition(node, nil, atLeast: 1)
        case "?": result = .repetition(node, 0...1, atLeast: 0)
        case "{":
            position += 1
            guard let least = number() else { throw problem("a number must follow `{`") }
            var most: Int? = least
            if take(",") { most = number() }
            guard current == "}" else { throw problem("`{` without `}`", at: start) }
            if let most, most < least { throw problem("{\(least),\(most)} has its numbers reversed", at: start) }
            result = .repetition(node, most.map { least...$0 }, atLeast: least)
        default: return node
        }
        position += 1
        // Lazy repetition matches the same texts.
        _ = take("?")
        if let scalar = current, "*+{".unicodeScalars.contains(scalar) { throw problem("`\(scalar)` repeats nothing") }
        return result
    }

    private mutating func number() -> Int? {
        var digits = ""
        while let scalar = current, ("0"..."9").contains(scalar), digits.count < 5 {
            digits.unicodeScalars.append(scalar)
            position += 1
        }
        return Int(digits)
    }

    private mutating func atom() throws(TextPattern.Problem) -> Node {
        let start = position
        let scalar = scalars[position]
        position += 1
        switch scalar {
        case "(":
            if take("?"), !take(":") { throw problem("`(?` is supported only as `(?:`", at: start) }
            let inner = try choice()
            guard take(")") else { throw problem("`(` without `)`", at: start) }
            return inner
        case "[": return .step(.scalar(try set(from: start)))
        case ".": return .step(.scalar(TextPattern.ScalarSet(ranges: [0x0A...0x0A, 0x0D...0x0D], isInverted: true)))
        case "^": return .step(.start)
        case "$": return .step(.end)
        case "*", "+", "?", "{": throw problem("`\(scalar)` repeats nothing", at: start)
        case "\\":
            if take("b") { return .step(.wordBoundary(true)) }
            if take("B") { return .step(.wordBoundary(false)) }
            return .step(.scalar(try escape(from: start)))
        default: return .step(.scalar(TextPattern.ScalarSet(ranges: [scalar.value...scalar.value])))
        }
    }

    /// The escape after a backslash.
    private mutating func escape(from start: Int) throws(TextPattern.Problem) -> TextPattern.ScalarSet {
        guard let scalar = current else { throw problem("nothing follows the last `\\`", at: start) }
        position += 1
        var set: TextPattern.ScalarSet
        switch scalar {
        case "d", "D": set = TextPattern.digits
        case "w", "W": set = TextPattern.word
        case "s", "S": set = TextPattern.spaces
        case "n": return TextPattern.ScalarSet(ranges: [0x0A...0x0A])
        case "t": return TextPattern.ScalarSet(ranges: [0x09...0x09])
        case "r": return TextPattern.ScalarSet(ranges: [0x0D...0x0D])
        case "0"..."9", "a"..."z", "A"..."Z": throw problem("`\\\(scalar)` is not an escape", at: start)
        default: return TextPattern.ScalarSet(ranges: [scalar.value...scalar.value])
        }
        set.isInverted = ("A"..."Z").contains(scalar)
        return set
    }

    /// The content of `[…]`.
    private mutating func set(from start: Int) throws(TextPattern.Problem) -> TextPattern.ScalarSet {
        var set = TextPattern.ScalarSet(ranges: [], isInverted: take("^"))
        var isFirst = true
        while let scalar = current, scalar != "]" || isFirst {
            isFirst = false
            let place = position
            let low = try setElement()
            guard current == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                set.ranges += low.isInverted ? Self.inverse(of: low.ranges) : low.ranges
                continue
            }
            position += 1
            let high = try setElement()
            guard let first = low.single, let last = high.single, first <= last else {
                throw problem("this range in `[…]` runs backwards", at: place)
            }
            set.ranges.append(first...last)
        }
        guard take("]") else { throw problem("`[` without `]`", at: start) }
        return set
    }

    private mutating func setElement() throws(TextPattern.Problem) -> TextPattern.ScalarSet {
        let place = position
        if take("\\") { return try escape(from: place) }
        guard let scalar = current else { throw problem("`[` without `]`") }
        position += 1
        return TextPattern.ScalarSet(ranges: [scalar.value...scalar.value])
    }

    private static func inverse(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        return result + [next...0x10FFFF]
    }

    /// Appends a node's program; `false` if it gets too long.
    private static func append(_ node: Node, to steps: inout [TextPattern.Step]) -> Bool {
        guard steps.count < TextPattern.stepLimit else { return false }
        switch node {
        case .empty: return true
        case .step(let step):
            steps.append(step)
            return true
        case .sequence(let nodes): return nodes.allSatisfy { append($0, to: &steps) }
        case .choice(let branches):
            var ends: [Int] = []
            for (index, branch) in branches.enumerated() {
                let fork = steps.count
                if index < branches.count - 1 { steps.append(.jump(0)) }
                guard append(branch, to: &steps) else { return false }
                guard index < branches.count - 1 else { break }
                ends.append(steps.count)
                steps.append(.jump(0))
                steps[fork] = .fork(fork + 1, steps.count)
            }
            for end in ends { steps[end] = .jump(steps.count) }
            return true
        case .repetition(let inner, let range, let least):
            for _ in 0..<least { guard append(inner, to: &steps) else { return false } }
            guard let range else {
                let fork = steps.count
                steps.append(.jump(0))
                guard append(inner, to: &steps) else { return false }
                steps.append(.jump(fork))
                steps[fork] = .fork(fork + 1, steps.count)
                return true
            }
            var forks: [Int] = []
            for _ in 0..<(range.upperBound - range.lowerBound) {
                forks.append(steps.count)
                steps.append(.jump(0))
                guard append(inner, to: &steps) else { return false }
            }
            for fork in forks { steps[fork] = .fork(fork + 1, steps.count) }
            return true
        }
    }
}

extension TextPattern.ScalarSet {
    fileprivate var single: UInt32? {
        guard !isInverted, ranges.count == 1, ranges[0].count == 1 else { return nil }
        return ranges[0].lowerBound
    }
}
