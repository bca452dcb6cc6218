import Daybook
import Foundation

enum FirebaseText {
    /// Firebase Performance: https://firebase.google.com/docs/perf-mon/custom-code-traces
    static let maximumTraceName = 100
    static let maximumTraceAttributes = 5
    /// For Performance and Analytics.
    static let maximumKey = 40
    static let maximumValue = 100

    /// A trace's name: no surrounding white space, no leading underscore, at most 100 characters.
    static func traceName(_ name: String) -> String? {
        let start = name.drop { $0.isWhitespace || $0 == "_" }
        var trimmed = start.prefix(maximumTraceName)
        while trimmed.last?.isWhitespace == true { trimmed.removeLast() }
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// At most 40 letters, digits and underscores, beginning with a letter.
    static func attributeName(_ key: String) -> String {
        let plain = key.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let named = plain.first?.isLetter == true ? plain : ["a", "_"] + plain
        return String(named.prefix(maximumKey))
    }

    /// A value as text of at most 100 characters.
    static func value(of value: Value) -> String { String(text(of: value).prefix(maximumValue)) }

    /// A value as text; arrays and objects as JSON.
    static func text(of value: Value) -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        case .array, .object:
            // `foundation` is always valid JSON.
            (try? JSONSerialization.data(withJSONObject: value.foundation, options: [.sortedKeys]))
                .map { String(decoding: $0, as: UTF8.self) } ?? "\(value.foundation)"
        default: "\(value.foundation)"
        }
    }
}
