import DaybookBase

/// Copies stored JSON into an answer in one pass, without building values.
///
/// The pass checks the grammar, so that one damaged row cannot spoil the answer it stands in, and puts numbers that
/// JavaScript would round or take for infinite between quotes. Text that is no JSON is copied as a JSON string.
struct JSONSplice {
    /// Nesting beyond this is not followed: the text is then copied as a string.
    static let deepest = 64

    private var scanner: JSONScanner

    static func append(_ text: String, to bytes: inout [UInt8]) {
        let start = bytes.count
        var splice = JSONSplice(scanner: JSONScanner(Array(text.utf8)))
        do throws(JSONFault) {
            try splice.value(depth: 0, to: &bytes)
            try splice.scanner.end()
        } catch {
            bytes.removeSubrange(start...)
            JSONWriter.write(text, into: &bytes)
        }
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
                if comma { output.append(UInt8(ascii: ",")) }
                comma = true
                try value(depth: depth + 1, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .beginObject:
            output.append(UInt8(ascii: "{"))
            var comma = false
            while let name = try scanner.member(&isFirst) {
                if comma { output.append(UInt8(ascii: ",")) }
                comma = true
                append(name, to: &output)
                output.append(UInt8(ascii: ":"))
                try value(depth: depth + 1, to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// A string as it was written, with its quotes.
    private func append(_ string: JSONString, to output: inout [UInt8]) {
        output.append(contentsOf: scanner.bytes[string.range.lowerBound - 1...string.range.upperBound])
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
