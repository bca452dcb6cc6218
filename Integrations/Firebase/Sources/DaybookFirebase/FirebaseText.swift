import Daybook
import Foundation

/// Names and values as Firebase takes them. Pure.
enum FirebaseText {
    /// Firebase Performance: https://firebase.google.com/docs/perf-mon/custom-code-traces
    static let maximumTraceName = 100
    static let maximumTraceAttributes = 5
    /// Performance and Analytics alike.
    static let maximumKey = 40
    static let maximumValue = 100

    /// A trace's name: no white space around it, no underscore before it, at most 100 characters.
    static func traceName(_ name: String) -> String? {
        let start = name.drop { $0.isWhitespace || $0 == "_" }
        var trimmed = start.prefix(maximumTraceName)
        while trimmed.last?.isWhitespace == true { trimmed.removeLast() }
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// A name of letters, digits and underscores, a letter first, at most 40.
    static func attributeName(_ key: String) -> String {
        let plain = key.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let named = plain.first?.isLetter == true ? plain : ["a", "_"] + plain
        return String(named.prefix(maximumKey))
    }

    /// A value as a text of at most 100 characters.
    static func value(of value: Value) -> String { String(text(of: value).prefix(maximumValue)) }

    /// A value as a text: JSON of arrays and objects.
    static func text(of value: Value) -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        case .array, .object:
            // What `foundation` gives is always JSON; a value that is none would read as its description.
            (try? JSONSerialization.data(withJSONObject: value.foundation, options: [.sortedKeys]))
                .map { String(decoding: $0, as: UTF8.self) } ?? "\(value.foundation)"
        default: "\(value.foundation)"
        }
    }
}
