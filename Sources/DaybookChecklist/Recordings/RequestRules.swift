import DaybookBase

/// How a team's own log requests become records, so that tests of an app that sends `GET /logs/view_article?id=7` need no
/// Daybook in the app: each rule says which requests it takes and where event and attributes stand in them.
///
/// The format of the file is in `docs/formats/requests.md`. Value semantics.
public struct RequestRules: Sendable, Hashable {
    /// Why a file has no rules, or a request that a rule takes makes no record.
    public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// A request, as far as rules look at it.
    public struct Request: Sendable, Hashable {
        /// `GET`, `POST` and so on.
        public var method: String
        /// `nil` where it says nothing, as at a test's own server: every rule's host is then right.
        public var host: String?
        /// The path and, behind a `?`, the query, percent-encoded.
        public var target: String
        public var body: [UInt8]

        /// A request.
        public init(method: String, host: String?, target: String, body: [UInt8]) {
            (self.method, self.host, self.target, self.body) = (method, host, target, body)
        }
    }

    /// What a rule made of a request, or of one entry in it.
    public struct Event: Sendable, Hashable {
        public var tag: String
        public var attributes: Attributes

        /// An event.
        public init(tag: String, attributes: Attributes) { (self.tag, self.attributes) = (tag, attributes) }
    }

    private struct Rule: Sendable, Hashable {
        var method: String?
        var host: String?
        var path: String
        /// The list whose entries are one record each.
        var each: String?
        var event: String
        /// Where attributes are, the later ones last.
        var attributes: [String]

        func takes(_ request: Request) -> Bool {
            (method == nil || method == request.method)
                && (host == nil || request.host == nil || host == request.host?.lowercased())
                && RequestPath(request.target).matches(path)
        }
    }

    private let rules: [Rule]

    /// Reads a file of rules.
    /// - Throws: ``Problem``, with the rule's number and key.
    public init(json: String) throws(Problem) {
        let value: Value
        do { value = try JSONReader.value(of: Array(json.utf8)) } catch {
            throw Problem(description: "the rules are no JSON: \(error)")
        }
        guard case .object(let object) = value, case .array(let list)? = object["rules"], object.elements.count == 1
        else { throw Problem(description: #"rules are an object with a list: {"rules": [{"path": "/logs/*", …}]}"#) }
        var rules: [Rule] = []
        for (index, value) in list.enumerated() {
            do throws(Problem) { rules.append(try Self.rule(value)) } catch {
                throw Problem(description: "rule \(index + 1): \(error)")
            }
        }
        self.rules = rules
    }

    private static func rule(_ value: Value) throws(Problem) -> Rule {
        guard case .object(let object) = value else { throw Problem(description: "is no object") }
        let known = ["method", "host", "path", "each", "event", "attributes"]
        for element in object.elements where !known.contains(element.key) {
            let near = NearestName.of(element.key, among: known).map { "; did you mean `\($0)`?" }
            throw Problem(description: "`\(element.key)` is no key of a rule" + (near ?? ""))
        }
        func text(_ key: String) throws(Problem) -> String? {
            switch object[key] {
            case nil: nil
            case .string(let text)? where !text.isEmpty: text
            default: throw Problem(description: "`\(key)` is a text")
            }
        }
        guard let path = try text("path"), path.hasPrefix("/") else {
            throw Problem(description: #"`path` is missing, such as "/logs/*""#)
        }
        guard let event = try text("event") else {
            throw Problem(description: #"`event` is missing, such as "{path.last}" or "feed.{query.name}""#)
        }
        let each = try text("each")
        var attributes = each == nil ? ["query", "body"] : ["item"]
        if let value = object["attributes"] {
            guard case .array(let list) = value else {
                throw Problem(description: #"`attributes` is a list of places, such as ["query", "body.params"]"#)
            }
            attributes = []
            for case let value in list {
                guard case .string(let place) = value else {
                    throw Problem(description: "`attributes`: a place is a text")
                }
                attributes.append(place)
            }
        }
        var places = attributes + [each].compactMap { $0 }
        for part in try Template(event).parts { if case .place(let place) = part { places.append(place) } }
        for place in places {
            let root = place.split(separator: ".", maxSplits: 1).first.map(String.init) ?? ""
            guard ["path", "query", "body"].contains(root) || root == "item" && each != nil else {
                let roots = each == nil ? "path, query or body" : "path, query, body or item"
                throw Problem(description: "`\(place)`: a place begins with \(roots)")
            }
        }
        return Rule(
            method: try text("method")?.uppercased(), host: try text("host")?.lowercased(), path: path, each: each,
            event: event, attributes: attributes)
    }

    /// Whether a rule takes a request, whatever its body.
    package func take(_ request: Request) -> Bool { rules.contains { $0.takes(request) } }

    /// What the first rule that takes a request makes of it; `nil` if none does.
    /// - Throws: ``Problem`` where it takes the request and finds no event in it.
    public func events(of request: Request) throws(Problem) -> [Event]? {
        guard let rule = rules.first(where: { $0.takes(request) }) else { return nil }
        let place = "\(request.method) \(request.target)"
        do throws(Problem) { return try Self.events(of: request, by: rule) } catch {
            throw Problem(description: "\(place): \(error)")
        }
    }

    private static func events(of request: Request, by rule: Rule) throws(Problem) -> [Event] {
        let path = RequestPath(request.target)
        var segments = path.segments.enumerated().map { ("\($0.offset + 1)", Value.string($0.element)) }
        segments.append(("last", .string(path.segments.last ?? "")))
        var contents: Attributes = [
            "path": .object(Attributes(segments)), "query": .object(FormText.attributes(path.query)),
            "body": try body(request.body),
        ]
        guard let each = rule.each else { return [try event(of: contents, by: rule)] }
        guard case .array(let items)? = contents.value(at: each) else {
            throw Problem(description: "`\(each)` is no list")
        }
        var events: [Event] = []
        for item in items {
            contents["item"] = item
            events.append(try event(of: contents, by: rule))
        }
        return events
    }

    private static func event(of contents: Attributes, by rule: Rule) throws(Problem) -> Event {
        var tag = ""
        for part in try Template(rule.event).parts {
            switch part {
            case .text(let text): tag += text
            case .place(let place):
                switch contents.value(at: place) {
                case .string(let text)? where !text.isEmpty: tag += text
                case .int(let number)?: tag += String(number)
                default: throw Problem(description: "no event: `\(place)` is no text in it")
                }
            }
        }
        var attributes = Attributes()
        for place in rule.attributes {
            switch contents.value(at: place) {
            case .object(let found)?: for element in found.elements { attributes[element.key] = element.value }
            case nil, .null?: break
            case let value?: attributes[String(place.split(separator: ".").last ?? "")] = value
            }
        }
        return Event(tag: tag, attributes: attributes)
    }

    /// JSON where it begins as JSON does, otherwise a form; nothing for nothing.
    private static func body(_ bytes: [UInt8]) throws(Problem) -> Value {
        let first = bytes.first { !" \t\r\n".utf8.contains($0) }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            return .object(FormText.attributes(String(decoding: bytes, as: UTF8.self)))
        }
        do { return try JSONReader.value(of: bytes) } catch {
            throw Problem(description: "its body is no JSON: \(error)")
        }
    }
}

/// A text with places in braces: `feed.{query.name}`.
private struct Template {
    enum Part { case text(String), place(String) }
    var parts: [Part] = []

    init(_ text: String) throws(RequestRules.Problem) {
        for (index, piece) in text.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
            guard index > 0 else {
                parts.append(.text(String(piece)))
                continue
            }
            let halves = piece.split(separator: "}", omittingEmptySubsequences: false)
            guard halves.count == 2, !halves[0].isEmpty else {
                throw RequestRules.Problem(description: "`\(text)`: a place stands in braces: {query.name}")
            }
            parts += [.place(String(halves[0])), .text(String(halves[1]))]
        }
    }
}

extension Attributes {
    /// The value at `body.params.id`; lists have no names.
    fileprivate func value(at place: String) -> Value? {
        var value = Value.object(self)
        for name in place.split(separator: ".") {
            guard case .object(let object) = value, let next = object[String(name)] else { return nil }
            value = next
        }
        return value
    }
}
