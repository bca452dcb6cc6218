import DaybookBase
import DaybookTools

/// Copies stored JSON into an answer in one pass, without building values.
///
/// The pass validates the grammar, so that a damaged row cannot corrupt the answer, and quotes numbers that JavaScript
/// would round or read as infinite. Invalid JSON is copied as a string.
package struct JSONSplice {
    /// Text nested more deeply is copied as a string.
    static let deepest = 64
    /// Bytes kept of a string when the text is cut.
    private static let cutString = 1_000

    private var scanner: JSONScanner
    /// Where the output must end; `nil` for no limit.
    private let end: Int?

    /// - Parameter limit: Most bytes to write. In longer text, strings are cut with an ellipsis, and members and
    ///   elements that do not fit are omitted. Default: none.
    /// - Returns: Whether something was cut.
    @discardableResult
    package static func append(_ text: String, to bytes: inout [UInt8], limit: Int? = nil) -> Bool {
        let start = bytes.count
        let bound = limit.flatMap { text.utf8.count > $0 ? $0 : nil }
        var splice = JSONSplice(scanner: JSONScanner(Array(text.utf8)), end: bound.map { start + $0 })
        do throws(JSONFault) {
            try splice.value(depth: 0, to: &bytes)
            try splice.scanner.end()
        } catch {
            bytes.removeSubrange(start...)
            JSONWriter.write(bound.map { text.cut(toUTF8Bytes: $0) + "…" } ?? text, into: &bytes)
        }
        return bound != nil
    }

    /// Whether the output is too long, with room for the closing brackets.
    private func isTooMuch(_ output: [UInt8], depth: Int) -> Bool {
        end.map { output.count > $0 - 4 * (depth + 1) } ?? false
    }

    private mutating func value(depth: Int, to output: inout [UInt8]) throws(JSONFault) {
        guard depth < Self.deepest else { throw JSONFault(.tooDeep, scanner.offset) }
        var isFirst = true
        switch try scanner.value() {
        case .null: output.append(contentsOf: "null".utf8)
        case .boolean(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .string(let string): append(string, to: &output)
        case .number(let number): append(number, to: &output)
        case .beginArray:
            output.append(UInt8(ascii: "["))
            var comma = false
            while try scanner.element(&isFirst) {
                let mark = output.count
                if comma { output.append(UInt8(ascii: ",")) }
                try value(depth: depth + 1, to: &output)
                if isTooMuch(output, depth: depth) { output.removeSubrange(mark...) } else { comma = true }
            }
            output.append(UInt8(ascii: "]"))
        case .beginObject:
            output.append(UInt8(ascii: "{"))
            var comma = false
            while let name = try scanner.member(&isFirst) {
                let mark = output.count
                if comma { output.append(UInt8(ascii: ",")) }
                append(name, to: &output)
                output.append(UInt8(ascii: ":"))
                try value(depth: depth + 1, to: &output)
                if isTooMuch(output, depth: depth) { output.removeSubrange(mark...) } else { comma = true }
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private func append(_ string: JSONString, to output: inout [UInt8]) {
        let whole = string.range
        guard end != nil, whole.count > Self.cutString else {
            output.append(contentsOf: scanner.bytes[whole.lowerBound - 1...whole.upperBound])
            return
        }
        output.append(UInt8(ascii: "\""))
        output.append(contentsOf: scanner.bytes[whole.lowerBound..<boundary(in: whole)])
        output.append(contentsOf: "…\"".utf8)
    }

    /// Where to cut a string: not within a character or an escape.
    private func boundary(in string: Range<Int>) -> Int {
        var place = string.lowerBound
        while true {
            let step: Int
            switch scanner.bytes[place] {
            case UInt8(ascii: "\\"):
                // Two escapes may form one character.
                step = scanner.bytes[place + 1] == UInt8(ascii: "u") ? 12 : 2
            case 0xF0...: step = 4
            case 0xE0...: step = 3
            case 0xC0...: step = 2
            default: step = 1
            }
            guard place + step <= string.lowerBound + Self.cutString else { return place }
            let isSingle = step == 12 && scanner.bytes[place + 6] != UInt8(ascii: "\\")
            place += isSingle ? 6 : step
        }
    }

    private func append(_ number: JSONNumber, to output: inout [UInt8]) {
        let isKept = number.isInteger ? isExact(number) : number.double(in: scanner.bytes).isFinite
        if !isKept { output.append(UInt8(ascii: "\"")) }
        output.append(contentsOf: scanner.bytes[number.range])
        if !isKept { output.append(UInt8(ascii: "\"")) }
    }

    private func isExact(_ number: JSONNumber) -> Bool {
        guard number.range.count >= 16 else { return true }
        return (number.integer(in: scanner.bytes)?.magnitude).map { $0 <= JSONBuilder.largestExactInteger } ?? false
    }
}

extension JSONBuilder {
    /// Writes stored JSON; see ``JSONSplice``.
    /// - Parameter limit: Most bytes. Default: no limit.
    /// - Returns: Whether it was cut.
    @discardableResult
    package mutating func spliced(_ text: String, limit: Int? = nil) -> Bool {
        var isCut = false
        written { isCut = JSONSplice.append(text, to: &$0, limit: limit) }
        return isCut
    }
}

extension String {
    /// Cuts text of more than `limit` bytes, with an ellipsis.
    func shortened(to limit: Int) -> String { utf8.count > limit ? cut(toUTF8Bytes: limit) + "…" : self }
}
