import DaybookBase

/// Builds compact JSON piece by piece, for responses not worth a ``Value``, or that embed existing JSON.
///
/// The caller opens and closes containers; commas are automatic. Spelling is ``JSONWriter``'s.
package struct JSONBuilder {
    /// How integers are written.
    package enum Integers: Sendable {
        case exact
        /// As strings beyond ``JSONBuilder/largestExactInteger``, where JavaScript would round.
        case stringsBeyondJavaScript
    }

    /// The largest integer exact in JavaScript: 2⁵³ − 1.
    package static let largestExactInteger: UInt64 = 9_007_199_254_740_991

    package private(set) var bytes: [UInt8] = []
    private var needsComma = false
    private let integers: Integers
    private let escapes: JSONEscapes

    package init(integers: Integers = .exact, escapes: JSONEscapes = .needed) {
        self.integers = integers
        self.escapes = escapes
    }

    // MARK: Containers

    package mutating func object(_ body: (inout JSONBuilder) -> Void) { nested("{", "}", body) }

    package mutating func array(_ body: (inout JSONBuilder) -> Void) { nested("[", "]", body) }

    package mutating func array<Elements: Sequence>(
        of elements: Elements, _ body: (inout JSONBuilder, Elements.Element) -> Void
    ) {
        array { builder in
            for element in elements { body(&builder, element) }
        }
    }

    /// A member's name; its value comes next.
    package mutating func key(_ name: String) {
        separate()
        JSONWriter.write(name, into: &bytes, escapes: escapes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    package mutating func string(_ text: String) {
        separate()
        JSONWriter.write(text, into: &bytes, escapes: escapes)
    }

    package mutating func string(_ text: String?) {
        if let text { string(text) } else { null() }
    }

    package mutating func integer(_ number: Int64) {
        separate()
        let isString = integers == .stringsBeyondJavaScript && number.magnitude > Self.largestExactInteger
        bytes.append(contentsOf: (isString ? "\"\(number)\"" : String(number)).utf8)
    }

    /// Infinities and NaN, which JSON lacks, become strings.
    package mutating func real(_ number: Double) {
        separate()
        JSONWriter.write(number, into: &bytes)
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Existing JSON.
    package mutating func raw(_ json: [UInt8]) { written { $0.append(contentsOf: json) } }

    /// A value appended by `write`.
    package mutating func written(_ write: (inout [UInt8]) -> Void) {
        separate()
        write(&bytes)
    }

    private mutating func nested(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONBuilder) -> Void) {
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
