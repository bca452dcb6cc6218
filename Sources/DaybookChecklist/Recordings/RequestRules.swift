import DaybookBase
import DaybookTools

/// Converts a team's own log requests to records, so that tests of an app that sends `GET /logs/view_article?id=7` need
/// no Daybook in the app. Each rule says which requests it matches, and where in them the event and attributes are.
///
/// The file format is in `docs/formats/requests.md`. Value semantics.
public struct RequestRules: Sendable, Hashable {
    /// Why a file has no valid rules, or a matching request makes no record.
    public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String

        package init(description: String) { self.description = description }
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
        /// The sender's unique id; `nil` if the rule names no place, or the request has none.
        public var uid: String?
        /// OpenTelemetry's severity number, 1–24; `nil` if the rule names no place, or the request has none.
        public var level: Int?

        /// Creates an event.
        public init(
            tag: String, attributes: Attributes, time: Int64? = nil, uid: String? = nil, level: Int? = nil
        ) {
            (self.tag, self.attributes, self.time, self.uid, self.level) = (tag, attributes, time, uid, level)
        }

        /// The severity number, from the sender or implied: see `ImpliedLevel`.
        package var severityNumber: Int {
            var implied = ImpliedLevel()
            implied.add(event: tag)
            implied.add(attributes)
            return level ?? implied.number ?? Int(Level.info.rawValue)
        }
    }

    struct Rule: Sendable, Hashable {
        var method: String?
        var host: String?
        var path: String
        /// The list whose entries become one record each.
        var each: RequestPlace?
        /// JSON texts, to be parsed first.
        var json: [RequestPlace] = []
        /// Conditions on the matched entries or requests.
        var conditions: [RequestCondition] = []
        var event: RequestTemplate
        var time: RequestPlace?
        var uid: RequestPlace?
        var level: RequestPlace?
        /// Later ones override earlier ones.
        var attributes: [RequestPlace]

        /// Methods that log nothing, such as CORS preflights, unless a rule names them.
        private static let silentMethods = ["OPTIONS", "HEAD", "TRACE", "CONNECT"]

        fileprivate func takes(_ request: Request) -> Bool {
            (method.map { $0 == request.method } ?? !Self.silentMethods.contains(request.method))
                && (host == nil || request.host == nil || host == request.host?.lowercased())
                && RequestPath(request.target).matches(path)
        }
    }

    private let rules: [Rule]

    /// Parses a file of rules.
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
            do throws(Problem) { rules.append(try RuleReader(value).rule()) } catch {
                throw Problem(description: "rule \(index + 1): \(error)")
            }
        }
        self.rules = rules
    }

    /// Whether a rule matches a request, whatever its body.
    package func take(_ request: Request) -> Bool { rules.contains { $0.takes(request) } }

    /// The events of a request; `nil` if no rule matches. Entries that no rule matches are left out.
    /// - Throws: ``Problem`` if a rule matches the request, or an entry, but finds no event.
    public func events(of request: Request) throws(Problem) -> [Event]? {
        guard var reading = try reading(request) else { return nil }
        var events: [Event] = []
        while let entry = reading.next() {
            switch entry {
            case .event(let event): events.append(event)
            case .refused(let refusal): throw Problem(description: refusal.description)
            case .skipped, .absent: break
            }
        }
        return events
    }

    /// As above, one entry at a time, so that a caller can stop at a limit, and an entry without an event does not
    /// discard the others.
    /// - Throws: ``Problem`` if the request has nothing the rules look for.
    package func reading(_ request: Request) throws(Problem) -> RequestEvents? {
        let rules = rules.filter { $0.takes(request) }
        return rules.isEmpty ? nil : try RequestEvents(of: request, by: rules)
    }
}

private struct RuleReader {
    private static let keys = [
        "method", "host", "path", "each", "json", "where", "event", "names", "fold", "time", "uid", "level",
        "attributes",
    ]

    private let object: Attributes
    private let each: String?

    init(_ value: Value) throws(RequestRules.Problem) {
        guard case .object(let object) = value else { throw Self.problem("is not an object") }
        try Self.checkKeys(of: object, "a rule")
        for element in object.elements where !Self.keys.contains(element.key) {
            let near = NearestName.of(element.key, among: Self.keys).map { "; did you mean `\($0)`?" }
            throw Self.problem("a rule has no key `\(element.key)`" + (near ?? ""))
        }
        self.object = object
        each = try Self.text("each", of: object)
    }

    func rule() throws(RequestRules.Problem) -> RequestRules.Rule {
        guard let path = try text("path"), path.hasPrefix("/") else {
            throw Self.problem(#"`path` is missing, such as "/logs/*""#)
        }
        guard Self.canMatch(path: path) else {
            throw Self.problem(
                "`path`: `\(path)` matches nothing: `*` is a whole segment, `/**` stands at the end, and a query is not part"
            )
        }
        let (method, host) = (try text("method"), try text("host"))
        if let method, method.contains(where: { !$0.isLetter && $0 != "-" }) {
            throw Self.problem("`method` is one method, such as POST, not `\(method)`")
        }
        if let host, !Self.isName(host: host) {
            throw Self.problem(
                "`host` is a name without scheme, port, path or `*`, such as log.example.com, not `\(host)`")
        }
        guard let event = try text("event") else {
            throw Self.problem(#"`event` is missing, such as "feed.{query.name}""#)
        }
        var rule = RequestRules.Rule(
            method: method?.uppercased(), host: host?.lowercased(), path: path,
            event: try RequestTemplate(event, names: names(), folds: flag("fold")), attributes: [])
        if let each {
            rule.each = try place(each)
            guard rule.each?.isOfItem == false else {
                throw Self.problem("`each` is a place in the body, such as body.events")
            }
        }
        let whole = (each == nil ? ["query", "body"] : ["item"]).map(RequestPlace.init)
        rule.attributes = try places("attributes") ?? whole
        for text in rule.event.places.map(\.text) { _ = try place(text) }
        rule.json = try places("json") ?? []
        rule.conditions = try conditions()
        rule.time = try text("time").map { text throws(RequestRules.Problem) in try place(text) }
        rule.uid = try text("uid").map { text throws(RequestRules.Problem) in try place(text) }
        rule.level = try text("level").map { text throws(RequestRules.Problem) in try place(text) }
        return rule
    }

    private static func problem(_ text: String) -> RequestRules.Problem { RequestRules.Problem(description: text) }

    private static func checkKeys(of object: Attributes, _ name: String) throws(RequestRules.Problem) {
        var keys: Set<String> = []
        for element in object.elements where !keys.insert(element.key).inserted {
            throw problem("\(name) has the key `\(element.key)` twice")
        }
    }

    private static func canMatch(path: String) -> Bool {
        let isOpen = path.hasSuffix("/**")
        let segments = path.dropLast(isOpen ? 3 : 0).split(separator: "/")
        return !path.contains("?") && segments.allSatisfy { $0 == "*" || !$0.contains("*") }
    }

    private static func isName(host: String) -> Bool {
        // More than one colon: an IPv6 address.
        !host.contains { "/*?#@ ".contains($0) } && host.count { $0 == ":" } != 1
    }

    private static func text(_ key: String, of object: Attributes) throws(RequestRules.Problem) -> String? {
        switch object[key] {
        case nil: nil
        case .string(let text)? where !text.isEmpty: text
        default: throw problem("`\(key)` is a text")
        }
    }

    private func text(_ key: String) throws(RequestRules.Problem) -> String? { try Self.text(key, of: object) }

    private func flag(_ key: String) throws(RequestRules.Problem) -> Bool {
        switch object[key] {
        case nil: false
        case .bool(let flag)?: flag
        default: throw Self.problem("`\(key)` is true or false")
        }
    }

    private func place(_ text: String) throws(RequestRules.Problem) -> RequestPlace {
        let place = RequestPlace(text)
        guard ["path", "query", "body"].contains(place.root) || place.isOfItem && each != nil else {
            let roots = each == nil ? "path, query or body" : "path, query, body or item"
            throw Self.problem("`\(text)`: a place begins with \(roots)")
        }
        let names = place.names.dropFirst()
        func isNumber(_ name: String) -> Bool { name.utf8.allSatisfy { (48...57).contains($0) } }
        if place.root == "path" {
            guard names.count < 2, names.allSatisfy({ $0 == "last" || isNumber($0) && Int($0) != 0 }) else {
                throw Self.problem("`\(text)`: the path has path.1, path.2, … and path.last")
            }
        } else if place.root != "query", names.contains(where: isNumber) {
            throw Self.problem(
                "`\(text)`: lists have no numbers in places; `each` makes a record of each of their entries")
        }
        return place
    }

    private func places(_ key: String) throws(RequestRules.Problem) -> [RequestPlace]? {
        guard let value = object[key] else { return nil }
        guard case .array(let list) = value else {
            throw Self.problem(#"`\#(key)` is a list of places, such as ["query", "body.params"]"#)
        }
        var places: [RequestPlace] = []
        for value in list {
            guard case .string(let text) = value else { throw Self.problem("`\(key)`: a place is a text") }
            places.append(try place(text))
        }
        return places
    }

    private func names() throws(RequestRules.Problem) -> [String: String] {
        guard let value = object["names"] else { return [:] }
        guard case .object(let table) = value else {
            throw Self.problem(#"`names` says which tag a name has: {"Product Viewed": "shop.product_viewed"}"#)
        }
        try Self.checkKeys(of: table, "`names`")
        var names: [String: String] = [:]
        for element in table.elements {
            guard case .string(let tag) = element.value, !tag.isEmpty else {
                throw Self.problem("`names`: the tag of `\(element.key)` is a text")
            }
            names[element.key] = tag
        }
        return names
    }

    private func conditions() throws(RequestRules.Problem) -> [RequestCondition] {
        guard let value = object["where"] else { return [] }
        guard case .object(let members) = value else {
            throw Self.problem(#"`where` says what is at places: {"item.type": "track"}"#)
        }
        try Self.checkKeys(of: members, "`where`")
        var conditions: [RequestCondition] = []
        for member in members.elements {
            let values = if case .array(let list) = member.value { list } else { [member.value] }
            guard let condition = RequestCondition(try place(member.key), values) else {
                throw Self.problem(
                    "`where`: at `\(member.key)` is a text, a number, true, false or null, or a list of some of these")
            }
            conditions.append(condition)
        }
        return conditions
    }
}
