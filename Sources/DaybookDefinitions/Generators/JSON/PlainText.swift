/// Removes Markdown's inline marks, as the original format does before it prints a description: code spans, bold, links,
/// images, HTML tags, character references and backslashes. Single `*` and `_` stay: there they are no marks.
struct PlainText {
    private let input: [Unicode.Scalar]
    private var index = 0
    private var output = String.UnicodeScalarView()
    /// Offsets of closing marks whose opening was removed, and how many scalars to skip there.
    private var closings: [Int: Int] = [:]
    /// The last search for each mark, so that no part of the text is searched twice for the same one.
    private var searches: [[Unicode.Scalar]: (from: Int, found: Int?)] = [:]

    private init(_ input: [Unicode.Scalar]) { self.input = input }

    static func of(_ markdown: String) -> String {
        let input = Array(markdown.unicodeScalars)
        guard input.contains(where: { marks.contains($0) }) else { return markdown }
        var text = PlainText(input)
        while text.index < input.count { text.step() }
        return String(text.output)
    }

    private static let marks: Set<Unicode.Scalar> = ["\\", "`", "*", "_", "[", "!", "<", "&", "\n"]
    private static let escapable = Set("\\`*_{}[]()#+-.!:|&<>^~=\"$".unicodeScalars)

    private mutating func step() {
        if let skipped = closings[index] {
            index += skipped
            return
        }
        switch input[index] {
        case "\\" where index + 1 < input.count && PlainText.escapable.contains(input[index + 1]):
            index += 1
            keep(1)
        case "`": codeSpan()
        case "*", "_": bold()
        case "[": link()
        case "!": image()
        case "<": tag()
        case "&": reference()
        case " ": spaces()
        default: keep(1)
        }
    }

    private mutating func keep(_ count: Int) {
        output.append(contentsOf: input[index..<(index + count)])
        index += count
    }

    private var run: Int { input[index...].prefix { $0 == input[index] }.count }

    private func hasPrefix(_ scalars: some Sequence<Unicode.Scalar>, at index: Int) -> Bool {
        input[index...].starts(with: scalars)
    }

    /// Where `wanted` stands next, from `start` on.
    private mutating func find(_ wanted: [Unicode.Scalar], from start: Int) -> Int? {
        if let last = searches[wanted], last.from <= start, (last.found ?? .max) >= start { return last.found }
        var found: Int?
        var place = start
        while place + wanted.count <= input.count {
            if hasPrefix(wanted, at: place) {
                found = place
                break
            }
            place += 1
        }
        searches[wanted] = (start, found)
        return found
    }

    private mutating func codeSpan() {
        let ticks = Array(input[index..<(index + run)])
        guard let end = find(ticks, from: index + ticks.count) else { return keep(ticks.count) }
        var content = input[(index + ticks.count)..<end]
        while content.first == " " { content.removeFirst() }
        while content.last == " " { content.removeLast() }
        output.append(contentsOf: content)
        index = end + ticks.count
    }

    private mutating func bold() {
        let pair = [input[index], input[index]]
        if hasPrefix(pair, at: index), let end = find(pair, from: index + 2), end > index + 2 {
            closings[end] = 2
            index += 2
        } else {
            keep(run)
        }
    }

    private mutating func link() {
        guard let middle = find(["]"], from: index), hasPrefix(["]", "("], at: middle), closings[middle] == nil,
            let end = find([")"], from: middle)
        else { return keep(1) }
        closings[middle] = end + 1 - middle
        index += 1
    }

    private mutating func image() {
        guard hasPrefix(["!", "["], at: index), let middle = find(["]", "("], from: index),
            let end = find([")"], from: middle)
        else { return keep(1) }
        index = end + 1
    }

    private mutating func tag() {
        guard index + 1 < input.count, input[index + 1].properties.isAlphabetic || input[index + 1] == "/",
            let end = find([">"], from: index)
        else { return keep(1) }
        let content = input[(index + 1)..<end]
        // An address in angle brackets stands for itself.
        if content.contains(":"), !content.contains(" ") { output.append(contentsOf: content) }
        index = end + 1
    }

    private mutating func reference() {
        let known: [(String, Unicode.Scalar)] = [
            ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", "\u{A0}"),
        ]
        for (text, scalar) in known where hasPrefix(text.unicodeScalars, at: index) {
            output.append(scalar)
            index += text.unicodeScalars.count
            return
        }
        keep(1)
    }

    /// Two or more spaces before the end of a line break the line and disappear.
    private mutating func spaces() {
        let count = run
        let isBreak = count >= 2 && index + count < input.count && input[index + count] == "\n"
        if isBreak { index += count } else { keep(count) }
    }
}
