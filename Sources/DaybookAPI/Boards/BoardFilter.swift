import DaybookDefinitions
import DaybookStore
import DaybookTools
import Foundation

/// A board's saved filter: filter language, or a history address. `boards/questions.js` distinguishes them in the same
/// way.
package enum BoardFilter {
    /// Address parameters that narrow.
    private static let narrowing: Set<String> = [
        "filter", "kind", "level", "tag", "session", "installation", "version", "module", "file", "trace", "since",
        "until", "violations", "run",
    ]
    /// Address parameters that only affect the display.
    private static let showing: Set<String> = ["by", "facets", "frame", "off", "run", "sort", "view"]

    /// The problem of a text, and its column in Unicode scalars, from 1; `nil` if valid.
    package static func problem(of text: String) -> (column: Int, message: String)? {
        let query = Self.query(of: text) ?? text[...]
        let pairs = query.split(separator: "&").map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        }
        let isAddress =
            query.count < text.count
            || !pairs.isEmpty && !query.contains(where: \.isWhitespace)
                && pairs.allSatisfy { $0.count == 2 && narrowing.contains($0[0]) }
        do {
            if isAddress { try check(pairs) } else { _ = try FilterParser.parse(text, now: 0) }
            return nil
        } catch let error as FilterError {
            return (error.column, error.message)
        } catch {
            return (1, (error as? Problem)?.message ?? "\(error)")
        }
    }

    /// The query of an address; `nil` if the text does not start like one.
    private static func query(of text: String) -> Substring? {
        guard let mark = text.firstIndex(of: "?") else { return nil }
        let start = text[..<mark]
        guard !start.contains(where: \.isWhitespace) else { return nil }
        let screen = start[(start.lastIndex(of: "#").map(start.index(after:)) ?? start.startIndex)...]
        return ["", "/", "history", "/history"].contains(screen) ? text[text.index(after: mark)...] : nil
    }

    /// Parses an address as the API does.
    private static func check(_ pairs: [[String]]) throws(Problem) {
        let parameters = try pairs.map { pair throws(Problem) -> (name: String, value: String) in
            let value = pair.count == 2 ? pair[1].replacing("+", with: " ") : ""
            guard let decoded = value.removingPercentEncoding else {
                throw Problem(.badRequest, "\(pair[0]) is not encoded as in an address; `%` is `%25`")
            }
            return (name: pair[0], value: decoded)
        }
        let reading = FilterContext(
            defined: DefinedEvents(Definitions()), disclosure: Disclosure(masking: MaskingPolicy(), tell: { _ in }),
            now: { 0 })
        var reader = ParameterReader(parameters, reading)
        try reader.read(own: showing) { _, _ in }
    }
}
