import DaybookBase
import DaybookTools

/// A path in a request: `body.params.id`.
struct RequestPlace: Sendable, Hashable {
    let text: String
    let names: [String]

    init(_ text: String) {
        self.text = text
        names = text.split(separator: ".").map(String.init)
    }

    var root: String { names.first ?? "" }
    /// Whether it is in a list entry.
    var isOfItem: Bool { root == "item" }

    func isWithin(_ other: RequestPlace) -> Bool { names.starts(with: other.names) }
}

/// The values that a place must have for a rule to match an entry or a request.
struct RequestCondition: Sendable, Hashable {
    let place: RequestPlace
    private let texts: [String?]

    /// `nil` without values, or if one is an object or a list.
    init?(_ place: RequestPlace, _ values: [Value]) {
        guard !values.isEmpty else { return nil }
        var texts: [String?] = []
        for value in values {
            switch value {
            case .null: texts.append(nil)
            case .bool, .int, .double, .string: texts.append(value.plainText)
            case .bytes, .array, .object: return nil
            }
        }
        (self.place, self.texts) = (place, texts)
    }

    /// Compares values as written, since queries and forms have only texts; a missing one is null.
    func holds(_ value: Value?) -> Bool { texts.contains(value?.plainText) }

    /// The actual value, for the author of the rules.
    func description(of value: Value?) -> String { "\(place.text) is \(value?.plainText ?? "absent")" }
}

/// A text with places in braces, `feed.{query.name}`, and a table of tags for the results.
struct RequestTemplate: Sendable, Hashable {
    enum Part: Sendable, Hashable { case text(String), place(RequestPlace) }
    private(set) var parts: [Part] = []
    private let names: [String: String]
    private let folds: Bool

    var places: [RequestPlace] { parts.compactMap { if case .place(let place) = $0 { place } else { nil } } }

    init(_ text: String, names: [String: String], folds: Bool) throws(RequestRules.Problem) {
        (self.names, self.folds) = (names, folds)
        for (index, piece) in text.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
            guard index > 0 else {
                parts.append(.text(String(piece)))
                continue
            }
            let halves = piece.split(separator: "}", omittingEmptySubsequences: false)
            guard halves.count == 2, !halves[0].isEmpty else {
                throw RequestRules.Problem(description: "`\(text)`: a place is written in braces: {query.name}")
            }
            parts += [.place(RequestPlace(String(halves[0]))), .text(String(halves[1]))]
        }
    }

    /// An event's tag: from the table, otherwise folded if the rule folds.
    /// - Parameter text: of a place, if any.
    /// - Throws: ``RequestRules/Problem`` if a place has no text, or folding leaves nothing of it.
    func tag(_ text: (RequestPlace) -> String?) throws(RequestRules.Problem) -> String {
        var words = ""
        var texts: [String] = []
        for part in parts {
            switch part {
            case .text(let text): words += text
            case .place(let place):
                guard let text = text(place) else {
                    throw RequestRules.Problem(description: "no event: it has no text at `\(place.text)`")
                }
                texts.append(text)
                words += text
            }
        }
        if let tag = names[words] { return tag }
        guard folds else { return words }
        if let text = (texts + [words]).first(where: { Self.folded($0).isEmpty }) {
            throw RequestRules.Problem(description: "no event: `\(text)` has no letter")
        }
        return Self.folded(words)
    }

    /// Snake case: `Product Viewed`, `productViewed` and `PRODUCT-VIEWED` become `product_viewed`.
    private static func folded(_ text: String) -> String {
        text.split(separator: ".").map { NameWords.of($0).joined(separator: "_") }
            .filter { !$0.isEmpty }.joined(separator: ".")
    }
}

extension Value {
    /// The value at a path of nested objects; not through lists.
    func value(at names: ArraySlice<String>) -> Value? {
        var value = self
        for name in names {
            guard case .object(let object) = value, let next = object[name] else { return nil }
            value = next
        }
        return value
    }

    /// Replaces the text at a path by the JSON, or base64 of JSON, in it; an empty one becomes null. Unchanged if there
    /// is no text.
    /// - Returns: `nil` if the text is neither.
    func readingJSON(at names: ArraySlice<String>, depth: Int) -> Value? {
        guard let name = names.first else {
            guard case .string(let text) = self else { return self }
            if text.allSatisfy(\.isWhitespace) { return .null }
            return Self.json(text, depth: depth)
        }
        guard case .object(var object) = self, let member = object[name] else { return self }
        guard let read = member.readingJSON(at: names.dropFirst(), depth: depth) else { return nil }
        object[name] = read
        return .object(object)
    }

    private static func json(_ text: String, depth: Int) -> Value? {
        var limits = JSONReader.Limits()
        limits.depth = depth
        // A plus sign that a form's sender did not encode has become a space.
        let plain = String(text.map { $0 == " " ? "+" : $0 })
        for bytes in [Array(text.utf8), Base64.decode(plain) ?? []] {
            switch try? JSONReader.value(of: bytes, limits: limits) {
            case .array(let list)?: return .array(list.map(\.storable))
            case .object(let object)?: return .object(object.storable)
            default: continue
            }
        }
        return nil
    }

    /// Without quotes; `nil` for null.
    fileprivate var plainText: String? { ChecklistValue(self)?.plainText }
}
