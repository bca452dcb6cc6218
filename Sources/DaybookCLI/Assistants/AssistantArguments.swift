import DaybookBase
import DaybookStore
import Foundation

/// Converts a call's arguments to the parameters' types. Clients write `5`, `5.0` and `"5"` for the same number, and
/// `null` for omissions; unambiguous values are accepted, all others refused by name.
struct AssistantArguments {
    /// By name, in the parameter's type.
    private(set) var values = Attributes()

    /// - Parameter value: a call's `arguments`: an object or its text; `null` and an empty list are empty.
    init(_ value: Value?, of tool: AssistantTool) throws(StoreError) {
        for element in try Self.members(value).elements where element.value != .null {
            guard let parameter = tool.parameters.first(where: { $0.name == element.key }) else {
                let names = tool.parameters.map(\.name).joined(separator: ", ")
                throw Self.refusal("\(tool.name) has no parameter `\(element.key.printable)`; it has \(names).")
            }
            values[parameter.name] = try parameter.read(element.value)
        }
        for parameter in tool.parameters where parameter.isRequired && values[parameter.name] == nil {
            throw Self.refusal("\(tool.name) needs `\(parameter.name)`: \(parameter.meaning).")
        }
    }

    private static func members(_ value: Value?) throws(StoreError) -> Attributes {
        switch value {
        case nil, .null, .array([]): return Attributes()
        case .object(let members): return members
        case .string(let text):
            let isEmpty = text.utf8.allSatisfy { $0 <= 0x20 }
            if case .object(let members)? = isEmpty ? .object([:]) : try? JSONReader.value(of: Array(text.utf8)) {
                return members
            }
        default: break
        }
        throw refusal("`arguments` is an object of parameters by name.")
    }

    fileprivate static func refusal(_ message: String) -> StoreError { StoreError(.badStatement, message) }
}

extension AssistantTool.Parameter {
    /// The value in the parameter's type; `nil` for a blank text where a number is expected.
    fileprivate func read(_ value: Value) throws(StoreError) -> Value? {
        switch type {
        case .integer:
            if case .string(let text) = value, text.utf8.allSatisfy({ $0 <= 0x20 }) { return nil }
            guard let number = Self.integer(value) else { throw refusal(of: value, "a whole number, such as 5") }
            guard range.contains(number) else {
                throw refusal(of: value, "a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return .int(number)
        case .text:
            switch value {
            case .string, .int: return .string(Self.text(value))
            default: throw refusal(of: value, "a text")
            }
        case .list:
            var value = value
            if case .string(let text) = value, text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "["),
                let list = try? JSONReader.value(of: Array(text.utf8))
            {
                value = list
            }
            let words: [String]
            switch value {
            case .string(let text): words = text.split(separator: ",").map(String.init)
            case .array(let elements) where elements.allSatisfy({ $0.text != nil }):
                words = elements.compactMap(\.text)
            default: throw refusal(of: value, "a text, or a list of texts")
            }
            return .string(words.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: ","))
        }
    }

    /// An integer in any notation: JSON Schema's integer includes `5.0` and `1e1`. Beyond 2⁵³ a double is ambiguous.
    private static func integer(_ value: Value) -> Int64? {
        switch value {
        case .int(let number): return number
        case .double(let number): return abs(number) < 0x1p53 ? Int64(exactly: number) : nil
        case .string(let text):
            let digits = text.drop { $0.isWhitespace }
            let end = digits.lastIndex { !$0.isWhitespace }.map(digits.index(after:)) ?? digits.endIndex
            let word = String(digits[..<end])
            if let number = Int64(word) { return number }
            guard word.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
            return Double(word).flatMap { integer(.double($0)) }
        default: return nil
        }
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .string(let text): text
        default: JSONWriter.text(value)
        }
    }

    private func refusal(of value: Value, _ wanted: String) -> StoreError {
        AssistantArguments.refusal(
            "`\(name)` is \(wanted), not \(JSONWriter.text(value).printable.cut(toUTF8Bytes: 80)).")
    }
}
