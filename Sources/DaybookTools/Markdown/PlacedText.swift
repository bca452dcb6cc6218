/// A part of a line that knows each character's original column, whatever was removed in between.
package struct PlacedText: Sendable, Hashable {
    /// From 1.
    package let line: Int
    package let text: String
    private let start: Int
    /// The column of each Unicode scalar and of the end; `nil` if contiguous.
    private let columns: [Int]?

    /// - Parameter column: of the first character, from 1; columns count Unicode scalars.
    package init(_ text: String, line: Int, column: Int = 1) {
        self.init(text, line: line, start: column, columns: nil)
    }

    private init(_ text: String, line: Int, start: Int, columns: [Int]?) {
        (self.text, self.line, self.start, self.columns) = (text, line, start, columns)
    }

    package func column(at offset: Int) -> Int { columns.map { $0[min(offset, $0.count - 1)] } ?? start + offset }

    /// Offsets are in Unicode scalars.
    package subscript(range: Range<Int>) -> PlacedText {
        let scalars = text.unicodeScalars
        let from = scalars.index(scalars.startIndex, offsetBy: range.lowerBound)
        let to = scalars.index(from, offsetBy: range.count)
        return PlacedText(
            String(scalars[from..<to]), line: line, start: column(at: range.lowerBound),
            columns: columns.map { Array($0[range.lowerBound...range.upperBound]) })
    }

    package var trimmed: PlacedText {
        let scalars = Array(text.unicodeScalars)
        guard let from = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let to = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return self[0..<0] }
        return self[from..<to + 1]
    }

    var trimmedEnd: PlacedText {
        let count = text.unicodeScalars.reversed().prefix(while: \.properties.isWhitespace).count
        return self[0..<text.unicodeScalars.count - count]
    }

    /// Removes ascending ranges of scalars.
    func removing(_ ranges: [Range<Int>]) -> PlacedText {
        guard !ranges.isEmpty else { return self }
        var rest = String.UnicodeScalarView()
        var columns: [Int] = []
        var next = ranges[...]
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            if let range = next.first, range.upperBound <= offset { next = next.dropFirst() }
            if next.first?.contains(offset) == true { continue }
            rest.append(scalar)
            columns.append(column(at: offset))
        }
        columns.append(column(at: text.unicodeScalars.count))
        return PlacedText(String(rest), line: line, start: columns[0], columns: columns)
    }

    /// Removes escapes as in CommonMark: a backslash before ASCII punctuation, except in code spans.
    /// - Parameter literals: whether `"texts"` and `/expressions/` keep their backslashes, which have their own
    ///   meaning.
    package func unescaped(keepingLiterals literals: Bool = false) -> PlacedText {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return self }
        return removing(InlineMarkdown(text, literals: literals).escapes.map { $0..<$0 + 1 })
    }
}

/// Escapes and comments in a Markdown line, outside code spans.
struct InlineMarkdown {
    /// Offsets of backslashes that escape the next character.
    private(set) var escapes: [Int] = []
    private(set) var comments: [Range<Int>] = []
    /// Where a comment begins that does not end on this line.
    private(set) var openComment: Int?

    /// - Parameters:
    ///   - isInComment: whether the line begins within a comment.
    ///   - literals: whether to ignore markup in `"texts"` and `/expressions/`.
    init(_ text: String, isInComment: Bool = false, literals: Bool = false) {
        let scalars = Array(text.unicodeScalars)
        // The last run of backticks of each length, so that unclosed ones are not searched for repeatedly.
        let lastRuns = Self.lastRuns(in: scalars)
        var index = 0
        if isInComment {
            guard let end = Self.find("-->", in: scalars, from: 0) else {
                openComment = 0
                return
            }
            comments.append(0..<end)
            index = end
        }
        while index < scalars.count {
            switch scalars[index] {
            case "\\" where index + 1 < scalars.count && scalars[index + 1].isASCIIPunctuation:
                escapes.append(index)
                index += 2
            case "`":
                let count = scalars[index...].prefix { $0 == "`" }.count
                let isClosed = lastRuns[count].map { $0 > index } ?? false
                index = (isClosed ? Self.closing(count, in: scalars, from: index + count) : nil) ?? index + count
            case "<" where scalars[index...].starts(with: "<!--".unicodeScalars):
                // `<!-->` is a complete comment.
                guard let end = Self.find("-->", in: scalars, from: index + 2) else {
                    openComment = index
                    return
                }
                comments.append(index..<end)
                index = end
            case "\"" where literals, "/" where literals && Self.mayBeginLiteral(scalars, at: index):
                index = Self.literalEnd(scalars, from: index) ?? index + 1
            default: index += 1
            }
        }
    }

    /// The end of the next occurrence.
    private static func find(_ wanted: String, in scalars: [Unicode.Scalar], from start: Int) -> Int? {
        let count = wanted.unicodeScalars.count
        return scalars.indices.dropFirst(start).first { scalars[$0...].starts(with: wanted.unicodeScalars) }
            .map { $0 + count }
    }

    private static func lastRuns(in scalars: [Unicode.Scalar]) -> [Int: Int] {
        var runs: [Int: Int] = [:]
        var index = 0
        while let start = scalars[index...].firstIndex(of: "`") {
            index = scalars[start...].firstIndex { $0 != "`" } ?? scalars.count
            runs[index - start] = start
        }
        return runs
    }

    /// The end of the next run of exactly `count` backticks.
    private static func closing(_ count: Int, in scalars: [Unicode.Scalar], from start: Int) -> Int? {
        var index = start
        while index < scalars.count {
            let run = scalars[index...].prefix { $0 == "`" }.count
            if run == count { return index + run }
            index += max(run, 1)
        }
        return nil
    }

    private static func mayBeginLiteral(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
        index == 0 || scalars[index - 1].properties.isWhitespace || scalars[index - 1] == "("
            || scalars[index - 1] == ","
    }

    private static func literalEnd(_ scalars: [Unicode.Scalar], from start: Int) -> Int? {
        var index = start + 1
        while index < scalars.count {
            if scalars[index] == scalars[start] { return index + 1 }
            index += scalars[index] == "\\" ? 2 : 1
        }
        return nil
    }
}

extension Unicode.Scalar {
    fileprivate var isASCIIPunctuation: Bool {
        switch self {
        case "!"..."/", ":"..."@", "["..."`", "{"..."~": true
        default: false
        }
    }
}
