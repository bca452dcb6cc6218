import DaybookBase
import DaybookTools

/// How a team's own log requests become records, so that tests of an app that sends `GET /logs/view_article?id=7` need
/// no Daybook in the app: each rule says which requests it takes, and where in them the event and attributes are.
///
/// The format of the file is in `docs/formats/requests.md`. Value semantics.
public struct RequestRules: Sendable, Hashable {
    /// Why a file has no valid rules, or a request that a rule takes makes no record.
    public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// The parts of a request that rules use.
    public struct Request: Sendable, Hashable {
        /// `GET`, `POST` and so on.
        public var method: String
        /// The host; `nil` if the request has none, as at a test's own server: it then matches every rule's host.
        public var host: String?
        /// The path and, after a `?`, the query, percent-encoded.
        public var target: String
        public var body: [UInt8]

        /// Creates a request.
        public init(method: String, host: String?, target: String, body: [UInt8]) {
            (self.method, self.host, self.target, self.body) = (method, host, target, body)
        }
    }

    /// What a rule made of a request, or of one of its entries.
    public struct Event: Sendable, Hashable {
        public var tag: String
        public var attributes: Attributes
        /// Nanoseconds since 1970; `nil` if the rule names no time, or the request has none.
        public var time: Int64?

        /// Creates an event.
        public init(tag: String, attributes: Attributes, time: Int64? = nil) {
            (self.tag, self.attributes, self.time) = (tag, attributes, time)
        }
    }

    /// One rule of the file.
    struct Rule: Sendable, Hashable {
        fileprivate var method: String?
        fileprivate var host: String?
        fileprivate var path: String
        /// The list whose entries are one record each.
        var each: RequestPlace?
        var event: RequestTemplate
        var time: RequestPlace?
        /// Where attributes are, the later ones last.
        var attributes: [RequestPlace]

        fileprivate func takes(_ request: Request) -> Bool {
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
            throw Problem(description: "the rules are not JSON: \(error)")
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
        guard case .object(let object) = value else { throw Problem(description: "is not an object") }
        let known = ["method", "host", "path", "each", "event", "time", "attributes"]
        for element in object.elements where !known.contains(element.key) {
            let near = NearestName.of(element.key, among: known).map { "; did you mean `\($0)`?" }
            throw Problem(description: "a rule has no key `\(element.key)`" + (near ?? ""))
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
            throw Problem(description: #"`event` is missing, such as "feed.{path.last}" or "feed.{query.name}""#)
        }
        let each = try text("each")
        func place(_ text: String) throws(Problem) -> RequestPlace {
            let place = RequestPlace(text)
            guard ["path", "query", "body"].contains(place.root) || place.isOfItem && each != nil else {
                let roots = each == nil ? "path, query or body" : "path, query, body or item"
                throw Problem(description: "`\(text)`: a place begins with \(roots)")
            }
            return place
        }
        var attributes = each == nil ? ["query", "body"] : ["item"]
        if let value = object["attributes"] {
            guard case .array(let list) = value else {
                throw Problem(description: #"`attributes` is a list of places, such as ["query", "body.params"]"#)
            }
            attributes = []
            for value in list {
                guard case .string(let place) = value else {
                    throw Problem(description: "`attributes`: a place is a text")
                }
                attributes.append(place)
            }
        }
        var rule = Rule(
            method: try text("method")?.uppercased(), host: try text("host")?.lowercased(), path: path,
            event: try RequestTemplate(event), attributes: [])
        for text in attributes { rule.attributes.append(try place(text)) }
        for text in rule.event.places.map(\.text) { _ = try place(text) }
        if let text = try text("time") { rule.time = try place(text) }
        if let each {
            rule.each = try place(each)
            guard rule.each?.isOfItem == false else {
                throw Problem(description: "`each` is a place in the body, such as body.events")
            }
        }
        return rule
    }

    /// Whether a rule takes a request, whatever its body.
    package func take(_ request: Request) -> Bool { rules.contains { $0.takes(request) } }

    /// What the first rule that takes a request makes of it; `nil` if none does.
    /// - Throws: ``Problem`` if the rule takes the request but finds no event in it.
    public func events(of request: Request) throws(Problem) -> [Event]? {
        guard var reading = try reading(request) else { return nil }
        var events: [Event] = []
        while let event = try reading.next() { events.append(event) }
        return events
    }

    /// The same, one event after the other: who bounds what they take stops in between.
    package func reading(_ request: Request) throws(Problem) -> RequestEvents? {
        guard let rule = rules.first(where: { $0.takes(request) }) else { return nil }
        return try RequestEvents(of: request, by: rule)
    }
}
