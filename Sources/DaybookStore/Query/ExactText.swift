/// A value to count records by. Texts are equal if their bytes are, as in filters and SQL; `String` would equate `Ä` as
/// one character and as two.
public struct ExactText: Sendable, Hashable, Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text.
    public let text: String

    /// Wraps a text.
    public init(_ text: String) { self.text = text }

    /// Wraps a literal.
    public init(stringLiteral text: String) { self.text = text }

    /// The text.
    public var description: String { text }

    /// Whether both have the same bytes.
    public static func == (left: ExactText, right: ExactText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    /// Orders by bytes.
    public static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
