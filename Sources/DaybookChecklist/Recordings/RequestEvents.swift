import DaybookBase
import DaybookTools

/// The events of one request, made one by one.
///
/// What all of them share is looked up once, so that a list of many entries beside many other members takes no longer
/// than both are.
package struct RequestEvents {
    private let rule: RequestRules.Rule
    /// For messages: `POST /a`.
    private let name: String
    /// The values at the rule's places outside of an entry.
    private var shared: [RequestPlace: Value] = [:]
    /// What is still to be made; of a rule without `each` one entry that no place looks into.
    private var items: ArraySlice<Value>
    /// The attributes of the event that was made last that came as texts without a type: in the path, a query or a form.
    package private(set) var untyped: Set<String> = []
    private let hasForm: Bool

    /// - Throws: ``RequestRules/Problem`` where the body is no JSON though it begins so, or `each` is no list.
    init(of request: RequestRules.Request, by rule: RequestRules.Rule) throws(RequestRules.Problem) {
        self.rule = rule
        name = "\(request.method) \(request.target)"
        items = [.null]
        hasForm = !Self.isJSON(request.body)
        let path = RequestPath(request.target)
        var segments = path.segments.enumerated().map { ("\($0.offset + 1)", Value.string($0.element)) }
        segments.append(("last", .string(path.segments.last ?? "")))
        let contents: Attributes = [
            "path": .object(Attributes(segments)), "query": try form(path.query), "body": try body(request.body),
        ]
        let places = rule.attributes + rule.event.places + [rule.each, rule.time].compactMap { $0 }
        for place in places where !place.isOfItem { shared[place] = Value.object(contents).value(at: place.names[...]) }
        guard let each = rule.each else { return }
        guard case .array(let list)? = shared[each] else { throw problem("`\(each.text)` is not a list") }
        items = list[...]
    }

    /// JSON where it begins as JSON does, otherwise a form; nothing for nothing.
    private func body(_ bytes: [UInt8]) throws(RequestRules.Problem) -> Value {
        if hasForm { return try form(String(decoding: bytes, as: UTF8.self)) }
        do { return try JSONReader.value(of: bytes) } catch { throw problem("its body is not JSON: \(error)") }
    }

    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        let first = bytes.first { !" \t\r\n".utf8.contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    private func form(_ text: String) throws(RequestRules.Problem) -> Value {
        guard let parameters = FormText.attributes(text) else {
            throw problem("it has more than \(FormText.mostParameters) parameters")
        }
        return .object(parameters)
    }

    /// The next event; `nil` behind the last.
    /// - Throws: ``RequestRules/Problem`` where there is no event in it.
    package mutating func next() throws(RequestRules.Problem) -> RequestRules.Event? {
        guard let item = items.popFirst() else { return nil }
        func value(_ place: RequestPlace) -> Value? {
            place.isOfItem ? item.value(at: place.names.dropFirst()) : shared[place]
        }
        var tag = ""
        for part in rule.event.parts {
            switch part {
            case .text(let text): tag += text
            case .place(let place):
                switch value(place) {
                case .string(let text)? where !text.isEmpty: tag += text
                case .int(let number)?: tag += String(number)
                default: throw problem("no event: it has no text at `\(place.text)`")
                }
            }
        }
        var members = LastMembers()
        untyped = []
        for place in rule.attributes {
            let hasTypes = place.isOfItem || place.root == "body" && !hasForm
            func add(_ key: String, _ value: Value) {
                members.add(key, value)
                if hasTypes { untyped.remove(key) } else { untyped.insert(key) }
            }
            switch value(place) {
            case .object(let found)?: for element in found.elements { add(element.key, element.value) }
            case nil, .null?: break
            case let value?: add(place.names.last ?? "", value)
            }
        }
        var event = RequestRules.Event(tag: tag, attributes: members.attributes)
        if let place = rule.time { event.time = try time(value(place), at: place) }
        return event
    }

    private func time(_ value: Value?, at place: RequestPlace) throws(RequestRules.Problem) -> Int64? {
        guard let value, value != .null else { return nil }
        if let time = ReadTime.nanoseconds(of: value) { return time }
        throw problem("`\(place.text)` is not a time: \(ReadTime.description)")
    }

    private func problem(_ text: String) -> RequestRules.Problem {
        RequestRules.Problem(description: "\(name): \(text)")
    }
}

/// Where something stands in a request: `body.params.id`.
struct RequestPlace: Sendable, Hashable {
    let text: String
    let names: [String]

    init(_ text: String) {
        self.text = text
        names = text.split(separator: ".").map(String.init)
    }

    var root: String { names.first ?? "" }
    /// Whether it is in an entry of the rule's list.
    var isOfItem: Bool { root == "item" }
}

/// A text with places in braces: `feed.{query.name}`.
struct RequestTemplate: Sendable, Hashable {
    enum Part: Sendable, Hashable { case text(String), place(RequestPlace) }
    private(set) var parts: [Part] = []

    var places: [RequestPlace] { parts.compactMap { if case .place(let place) = $0 { place } else { nil } } }

    init(_ text: String) throws(RequestRules.Problem) {
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
}

extension Value {
    /// What stands at names in an object, and in objects in it; lists have no names.
    fileprivate func value(at names: ArraySlice<String>) -> Value? {
        var value = self
        for name in names {
            guard case .object(let object) = value, let next = object[name] else { return nil }
            value = next
        }
        return value
    }
}
