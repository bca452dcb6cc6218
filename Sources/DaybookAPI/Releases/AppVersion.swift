/// Compares versions as people number them: `4.9.0` before `4.12.0`, `4.12.0-beta.2` before `4.12.0`.
struct AppVersion: Comparable {
    private let text: String
    /// Runs of digits, and other characters one by one.
    private let parts: [String]

    init(_ text: String) {
        self.text = text
        var parts: [String] = []
        var digits = ""
        for character in text {
            if character.isASCIIDigit {
                digits.append(character)
                continue
            }
            if !digits.isEmpty { parts.append(digits) }
            digits = ""
            parts.append(String(character))
        }
        self.parts = digits.isEmpty ? parts : parts + [digits]
    }

    /// Total: different texts are never equal.
    static func < (left: AppVersion, right: AppVersion) -> Bool {
        let (one, other) = (left.parts, right.parts)
        for index in 0..<max(one.count, other.count) {
            guard index < one.count else { return other[index] != "-" }
            guard index < other.count else { return one[index] == "-" }
            let (a, b) = (one[index], other[index])
            guard a != b else { continue }
            guard let first = number(a), let second = number(b) else {
                // A hyphen starts a prerelease.
                if a == "-" || b == "-" { return a == "-" }
                return a.utf8.lexicographicallyPrecedes(b.utf8)
            }
            if first != second { return first.count == second.count ? first < second : first.count < second.count }
        }
        return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Digits without leading zeros; `nil` for anything else.
    private static func number(_ part: String) -> String? {
        guard part.first?.isASCIIDigit == true else { return nil }
        return String(part.drop { $0 == "0" })
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
