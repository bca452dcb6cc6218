/// A value that records are counted by: texts are the same where their bytes are, as in filters and in SQL. Two texts that
/// only look alike, `Ä` in one character and in two, are one to `String`.
public struct ExactText: Sendable, Hashable, Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text.
    public let text: String

    /// A text.
    public init(_ text: String) { self.text = text }

    /// A text.
    public init(stringLiteral text: String) { self.text = text }

    /// The text.
    public var description: String { text }

    /// Whether both have the same bytes.
    public static func == (left: ExactText, right: ExactText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    /// By bytes.
    public static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Of the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
