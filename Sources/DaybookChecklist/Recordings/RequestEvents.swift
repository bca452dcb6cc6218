import DaybookBase
import DaybookTools

/// Makes the events of one request, one by one.
///
/// What they share is looked up once, so that a long list next to many other members takes linear time.
package struct RequestEvents {
    /// The result for an entry, or for a request without entries.
    package enum Entry {
        case event(RequestRules.Event)
        /// A rule matches, but finds no event.
        case refused(Refusal)
        /// No rule matches; describes what the rules look at.
        case skipped(String)
        /// The whole request has nothing where the rules look.
        case absent(String)
    }

    /// Why an entry has no event.
    package struct Refusal: Sendable {
        /// `POST /a`.
        fileprivate let request: String
        /// Its index in the request's lists, from 1; `nil` if the request is the entry.
        package let entry: Int?
        package let reason: String

        package var description: String { "\(request): " + (entry.map { "entry \($0): " } ?? "") + reason }
    }

    /// The entries of a list, with the rules that may match them, in order.
    private struct List {
        var items: ArraySlice<Value>
        /// Whether they come from a list.
        var isNumbered = true
        var rules: [RuleOnRequest]
    }

    /// For messages: `POST /a`.
    private let name: String
    /// Lists still to process.
    private var lists: [List] = []
    /// List entries so far.
    private var count = 0
    /// The result if no rule matches the request.
    private var whole: Entry?
    /// Repeated names.
    package private(set) var unread: Unread
    /// The last event's attributes that came as untyped texts: from the path, a query or a form.
    package private(set) var untyped: Set<String> = []

    /// - Throws: ``RequestRules/Problem`` if the body begins like JSON but is invalid, or no rule finds its list.
    init(of request: RequestRules.Request, by rules: [RequestRules.Rule]) throws(RequestRules.Problem) {
        name = "\(request.method) \(request.target)"
        let contents = try RequestContents(of: request, name: name)
        unread = contents.unread
        var found: [RuleOnRequest] = []
        var problem: RequestRules.Problem?
        var unmet: [RuleOnRequest.Unmet] = []
        for rule in rules {
            let rule = RuleOnRequest(rule, contents)
            if let condition = rule.unmet {
                unmet.append(condition)
            } else if let place = rule.unreadable {
                problem = problem ?? self.problem("`\(place.text)` is neither JSON nor base64 of JSON")
            } else {
                found.append(rule)
            }
        }
        let isAbsent = unmet.allSatisfy(\.isAbsent)
        guard let first = found.first else {
            if let problem { throw problem }
            let text = unmet.first?.text ?? ""
            whole = isAbsent ? .absent(text) : .skipped(text)
            return
        }
        unread.add(namesOf: first.repeatedNames)
        if first.rule.each != nil { lists = Self.lists(of: found) }
        guard lists.isEmpty else { return }
        // Only rules without a list apply to the request as a whole.
        if let whole = found.first(where: { $0.rule.each == nil }) {
            lists = [List(items: [.null], isNumbered: false, rules: [whole])]
        } else if let rule = found.first(where: \.hasList) {
            throw self.problem("`\(rule.rule.each?.text ?? "")` is not a list")
        } else {
            let text = "\(first.rule.each?.text ?? "") is absent"
            self.whole = isAbsent ? .absent(text) : .skipped(text)
        }
    }

    private static func lists(of rules: [RuleOnRequest]) -> [List] {
        var lists: [RequestPlace: Int] = [:]
        var result: [List] = []
        for rule in rules {
            guard let each = rule.rule.each, let items = rule.items else { continue }
            if let known = lists[each] {
                result[known].rules.append(rule)
            } else {
                lists[each] = result.count
                result.append(List(items: items[...], rules: [rule]))
            }
        }
        return result
    }

    /// The next entry; `nil` at the end.
    package mutating func next() -> Entry? {
        if let whole {
            self.whole = nil
            return whole
        }
        while let list = lists.first {
            guard let item = lists[0].items.popFirst() else {
                lists.removeFirst()
                continue
            }
            count += 1
            do throws(RequestRules.Problem) {
                for rule in list.rules where rule.takes(item) { return .event(try event(of: item, by: rule)) }
                return .skipped(list.rules.first?.difference(of: item) ?? "")
            } catch {
                return .refused(
                    Refusal(request: name, entry: list.isNumbered ? count : nil, reason: error.description))
            }
        }
        return nil
    }

    private mutating func event(
        of item: Value, by rule: RuleOnRequest
    ) throws(RequestRules.Problem) -> RequestRules.Event {
        let (item, repeated) = try rule.reading(item)
        unread.add(namesOf: repeated)
        func value(_ place: RequestPlace) -> Value? { rule.value(at: place, of: item) }
        func fault(_ text: String) -> RequestRules.Problem { RequestRules.Problem(description: text) }
        func text(_ place: RequestPlace) -> String? {
            switch value(place) {
            case .string(let text)? where !text.isEmpty: text
            case .int(let number)?: String(number)
            default: nil
            }
        }
        let tag = try rule.rule.event.tag(text)
        var members = LastMembers()
        untyped = []
        for place in rule.rule.attributes {
            let hasTypes = rule.hasTypes(at: place)
            func add(_ key: String, _ value: Value) {
                members.add(key, value)
                if hasTypes { untyped.remove(key) } else { untyped.insert(key) }
            }
            switch value(place) {
            // Repetitions within an object are reported with the request.
            case .object(let found)?: for element in found.lastOfEach.elements { add(element.key, element.value) }
            case nil, .null?: break
            case let value?: add(place.names.last ?? "", value)
            }
        }
        unread.add(namesOf: members.repeatedNames)
        var event = RequestRules.Event(tag: tag, attributes: members.attributes)
        event.uid = rule.rule.uid.flatMap(text).flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        if let place = rule.rule.uid, event.uid == nil, let value = value(place), value != .null {
            if case .string = value {} else { unread.add("\(place.text) is no text") }
        }
        if let place = rule.rule.time, let value = value(place), value != .null {
            guard let time = ReadTime.nanoseconds(of: value) else {
                throw fault("`\(place.text)` is not a time: \(ReadTime.problem(of: value))")
            }
            event.time = time
        }
        if let place = rule.rule.level, let value = value(place), value != .null {
            if let number = Severity.number(of: value) {
                event.level = number > 0 ? number : nil
            } else {
                unread.add(place.text)
                if event.attributes["otel.severity_text"] != nil { unread.add(namesOf: ["otel.severity_text"]) }
                event.attributes["otel.severity_text"] = value
            }
        }
        return event
    }

    private func problem(_ text: String) -> RequestRules.Problem {
        RequestRules.Problem(description: "\(name): \(text)")
    }
}

/// The parts of a request that places refer to.
private struct RequestContents {
    let values: Attributes
    let hasForm: Bool
    /// Repeated names.
    private(set) var unread = Unread()

    init(of request: RequestRules.Request, name: String) throws(RequestRules.Problem) {
        let path = RequestPath(request.target)
        var segments = path.segments.enumerated().map { ("\($0.offset + 1)", Value.string($0.element)) }
        segments.append(("last", .string(path.segments.last ?? "")))
        func problem(_ text: String) -> RequestRules.Problem {
            RequestRules.Problem(description: "\(name): \(text)")
        }
        guard path.isText else { throw problem("its path is not UTF-8") }
        hasForm = !Self.isJSON(request.body)
        let body: Value
        let query: LastMembers
        do throws(RequestRules.Problem) {
            query = try FormText.members(path.query.utf8)
            unread.add(namesOf: query.repeatedNames)
            unread.add(query.flaws, of: "query")
            if hasForm {
                let form = try FormText.members(ofBody: request.body)
                unread.add(namesOf: form.repeatedNames)
                unread.add(form.flaws, of: "body")
                body = .object(form.attributes)
            } else {
                var flaws = TextFlaws()
                body = try Self.json(request.body, noting: &flaws)
                unread.add(flaws, of: "body")
                unread.add(namesOf: body.repeatedNames)
            }
        } catch {
            throw problem(error.description)
        }
        values = ["path": .object(Attributes(segments)), "query": .object(query.attributes), "body": body]
    }

    private static func json(
        _ bytes: [UInt8], noting flaws: inout TextFlaws
    ) throws(RequestRules.Problem) -> Value {
        do { return try JSONReader.value(of: bytes, noting: &flaws).storable } catch {
            throw RequestRules.Problem(description: "its body is not JSON: \(error)")
        }
    }

    /// Whether a body begins like JSON; otherwise it is a form.
    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        if ByteOrderMark.otherEncoding(of: bytes) != nil { return true }
        let first = ByteOrderMark.skipped(bytes).first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D && $0 != 0x0A }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}

/// A rule with the values it finds in a request outside entries.
private struct RuleOnRequest {
    /// The nesting limit, including JSON within texts.
    private static let greatestDepth = 63

    let rule: RequestRules.Rule
    /// The values at the rule's places outside entries.
    private var shared: [RequestPlace: Value] = [:]
    private let hasForm: Bool
    struct Unmet {
        var text: String
        /// Whether there is no value at all.
        var isAbsent: Bool
    }

    /// Why the rule does not match the request, if so.
    private(set) var unmet: Unmet?
    private(set) var unreadable: RequestPlace?
    /// Names repeated in JSON texts.
    private(set) var repeatedNames: [String] = []

    init(_ rule: RequestRules.Rule, _ contents: RequestContents) {
        self.rule = rule
        hasForm = contents.hasForm
        var values = Value.object(contents.values)
        for place in rule.json where !place.isOfItem {
            if let (read, repeated) = Self.reading(values, at: place, place.names[...]) {
                values = read
                repeatedNames += repeated
            } else {
                unreadable = unreadable ?? place
            }
        }
        let places =
            rule.attributes + rule.event.places + rule.conditions.map(\.place)
            + [rule.each, rule.time, rule.uid, rule.level].compactMap { $0 }
        for place in places where !place.isOfItem { shared[place] = values.value(at: place.names[...]) }
        let condition = rule.conditions.first { !$0.place.isOfItem && !$0.holds(shared[$0.place]) }
        unmet = condition.map {
            Unmet(text: $0.description(of: shared[$0.place]), isAbsent: shared[$0.place] ?? .null == .null)
        }
    }

    /// The entries of the rule's list, or a single object in its place; `nil` if there is neither.
    var items: [Value]? {
        switch rule.each.flatMap({ shared[$0] }) {
        case .array(let list)?: list
        case .object(let object)?: [.object(object)]
        default: nil
        }
    }

    /// Whether there is any value in the list's place.
    var hasList: Bool { (rule.each.flatMap { shared[$0] } ?? .null) != .null }

    /// Whether an entry meets the rule's conditions.
    func takes(_ item: Value) -> Bool { unmet(by: item) == nil }

    func difference(of item: Value) -> String? {
        unmet(by: item).map { $0.description(of: value(at: $0.place, of: item)) }
    }

    private func unmet(by item: Value) -> RequestCondition? {
        let conditions = rule.conditions.filter(\.place.isOfItem)
        guard !conditions.isEmpty else { return nil }
        // A rule may be the intended one even if it cannot read the entry.
        let item = (try? reading(item).value) ?? item
        return conditions.first { !$0.holds(value(at: $0.place, of: item)) }
    }

    /// An entry with its JSON texts parsed, and the names repeated in them.
    func reading(_ item: Value) throws(RequestRules.Problem) -> (value: Value, repeated: [String]) {
        var item = item
        var repeated: [String] = []
        for place in rule.json where place.isOfItem {
            guard let (read, names) = Self.reading(item, at: place, place.names.dropFirst()) else {
                throw RequestRules.Problem(description: "`\(place.text)` is neither JSON nor base64 of JSON")
            }
            item = read
            repeated += names
        }
        return (item, repeated)
    }

    private static func reading(
        _ value: Value, at place: RequestPlace, _ names: ArraySlice<String>
    ) -> (value: Value, repeated: [String])? {
        guard let read = value.readingJSON(at: names, depth: max(1, greatestDepth - place.names.count)) else {
            return nil
        }
        guard case .string? = value.value(at: names) else { return (read, []) }
        return (read, read.value(at: names)?.repeatedNames ?? [])
    }

    func value(at place: RequestPlace, of item: Value) -> Value? {
        place.isOfItem ? item.value(at: place.names.dropFirst()) : shared[place]
    }

    /// Whether the values at a place are typed.
    func hasTypes(at place: RequestPlace) -> Bool {
        if rule.json.contains(where: place.isWithin) { return true }
        if place.isOfItem { return rule.each.map(hasTypes) ?? false }
        return place.root == "body" && !hasForm
    }
}
