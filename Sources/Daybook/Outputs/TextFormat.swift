/// How a record becomes a line of text.
public struct TextFormat: Sendable, Hashable {
    /// Whether levels are coloured with ANSI escapes.
    public var isColoured: Bool
    /// Whether the place in the source follows.
    public var showsSource: Bool

    /// A format.
    public init(isColoured: Bool = false, showsSource: Bool = false) {
        self.isColoured = isColoured
        self.showsSource = showsSource
    }

    /// One line: `10:02:11.204 ● recipe_search.search {keyword: "egg"}`.
    public static let line = TextFormat()

    /// The text of a record, one line without its end.
    public func text(of record: Record) -> String {
        var text = String(Timestamp(nanoseconds: record.time).rfc3339(fractionDigits: 3).dropFirst(11).dropLast())
        text += " \(mark(of: record)) \(Self.printable(record.tag))"
        if let message = record.message { text += " \(Self.printable(message))" }
        if let duration = record.duration { text += " (\(Self.milliseconds(duration)) ms)" }
        if !record.attributes.isEmpty { text += " " + Self.describe(.object(record.attributes)) }
        if let failure = record.failure { text += " failed: \(Self.printable(failure))" }
        if showsSource, let file = record.file, let line = record.line { text += " (\(file):\(line))" }
        return text
    }

    private func mark(of record: Record) -> String {
        let (icon, colour) =
            switch record.level {
            case .trace: ("·", 90)
            case .debug: ("○", 90)
            case .info: ("●", 36)
            case .warning: ("▲", 33)
            case .error: ("✖", 31)
            case .fatal: ("✖✖", 35)
            }
        return isColoured ? "\u{1B}[\(colour)m\(icon)\u{1B}[0m" : icon
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        let tenths = nanoseconds / 100_000
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    private static func describe(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .int(let int): String(int)
        case .double(let double): String(double)
        case .string(let string): "\"\(printable(string))\""
        case .bytes(let bytes): "<\(bytes.count) bytes>"
        case .array(let items): "[" + items.map(describe).joined(separator: ", ") + "]"
        case .object(let attributes):
            "{" + attributes.elements.map { "\(printable($0.key)): \(describe($0.value))" }.joined(separator: ", ")
                + "}"
        }
    }

    /// Control characters, line ends included, are escaped: a record cannot forge a line or drive a terminal.
    package static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// C0 and C1 controls, and the characters that reorder or end lines.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
