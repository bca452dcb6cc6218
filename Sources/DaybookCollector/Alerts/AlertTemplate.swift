import DaybookBase
import DaybookTools

/// A custom webhook body: a JSON value whose strings contain `{{name}}` placeholders.
///
/// Parsed as JSON before it is filled, so no value can close a string or add a member. A string that is only
/// `{{value}}` becomes the value itself, a number or null; within a longer string null is empty.
package struct AlertTemplate: Sendable, Hashable {
    struct Problem: Error {
        var message: String
    }

    static let names = [
        "text", "status", "alert", "label", "value", "reason", "condition", "since", "time", "description", "count",
    ]

    private let value: Value

    init(_ text: String) throws(Problem) {
        guard let value = try? JSONReader.value(of: Array(text.utf8)) else {
            throw Problem(message: "the template is not JSON; a placeholder must be inside a string: \"{{value}}\"")
        }
        self.value = value
        for name in Self.placeholders(in: value) where !Self.names.contains(name) {
            let near = NearestName.of(name, among: Self.names).map { " (did you mean `{{\($0)}}`?)" } ?? ""
            throw Problem(
                message: "a template has no `{{\(name)}}`\(near): there are \(Self.names.joined(separator: ", "))")
        }
    }

    func filled(_ values: [String: Value]) -> Value { Self.filled(value, values) }

    private static func filled(_ value: Value, _ values: [String: Value]) -> Value {
        switch value {
        case .string(let text):
            let parts = parts(of: text)
            if parts.count == 1, parts[0].isName { return values[parts[0].text] ?? .null }
            return .string(parts.map { $0.isName ? Self.text(values[$0.text] ?? .null) : $0.text }.joined())
        case .array(let elements): return .array(elements.map { filled($0, values) })
        case .object(let members):
            return .object(Attributes(members.elements.map { ($0.key, filled($0.value, values)) }))
        default: return value
        }
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        default: JSONWriter.text(value)
        }
    }

    private static func placeholders(in value: Value) -> [String] {
        switch value {
        case .string(let text): parts(of: text).filter(\.isName).map(\.text)
        case .array(let elements): elements.flatMap(placeholders)
        case .object(let members): members.elements.flatMap { placeholders(in: $0.value) }
        default: []
        }
    }

    /// Splits a text into literals and names. Unclosed braces are literal.
    private static func parts(of text: String) -> [(isName: Bool, text: String)] {
        var parts: [(isName: Bool, text: String)] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
            if start.lowerBound > rest.startIndex { parts.append((false, String(rest[..<start.lowerBound]))) }
            let name = rest[start.upperBound..<end.lowerBound]
            parts.append((true, name.split(separator: " ").joined(separator: " ")))
            rest = rest[end.upperBound...]
        }
        if !rest.isEmpty || parts.isEmpty { parts.append((false, String(rest))) }
        return parts
    }
}
