/// Builds JSON text byte by byte, for answers that splice stored JSON instead of parsing it.
///
/// The caller opens and closes; commas come by themselves.
struct JSONWriter {
    /// The largest integer that every JavaScript engine keeps exactly: 2⁵³ − 1. Larger ones are written as strings.
    static let largestExactInteger: UInt64 = 9_007_199_254_740_991

    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func object(_ body: (inout JSONWriter) -> Void) { nested("{", "}", body) }

    mutating func array(_ body: (inout JSONWriter) -> Void) { nested("[", "]", body) }

    mutating func array<Element>(of elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void) {
        array { writer in
            for element in elements { body(&writer, element) }
        }
    }

    mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: "\":".utf8)
        needsComma = false
    }

    /// A member whose name is only known at run time.
    mutating func key(_ name: String) {
        separate()
        Self.appendQuoted(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func string(_ text: String) {
        separate()
        Self.appendQuoted(text, to: &bytes)
    }

    mutating func string(_ text: String?) {
        if let text { string(text) } else { null() }
    }

    /// A number, or a string when JavaScript would round it.
    mutating func integer(_ number: Int64) {
        separate()
        let isExact = number.magnitude <= Self.largestExactInteger
        bytes.append(contentsOf: (isExact ? String(number) : "\"\(number)\"").utf8)
    }

    /// A number that is always a string, so that its readers meet one type: times and durations in nanoseconds.
    mutating func decimal(_ number: Int64?) {
        string(number.map { String($0) })
    }

    /// A number; what JSON has no number for (infinities, NaN) becomes a string.
    mutating func real(_ number: Double) {
        guard number.isFinite else { return string("\(number)") }
        separate()
        bytes.append(contentsOf: "\(number)".utf8)
    }

    mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Stored JSON, checked and spliced; see ``JSONSplice``.
    mutating func spliced(_ text: String) {
        separate()
        JSONSplice.append(text, to: &bytes)
    }

    /// A value that a writer built before.
    mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func nested(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}
