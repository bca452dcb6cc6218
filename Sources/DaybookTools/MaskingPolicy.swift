import DaybookBase

/// What people see of values that are not for every eye: the one policy of screens, copies, exports, commands, reports,
/// traces and alerts.
///
/// Private values are those of the columns that the definitions, or a record's sender, call private; ``Record/mask`` takes
/// their place. A record of no defined event may be one of an event that was misspelt: a column that is private in any event
/// is private there. Credentials are found by their names and by what they look like, in values, in texts and in JSON within
/// texts; ``CredentialScrubber/replacement`` takes their place. What holds neither stays as it was written, byte for
/// byte. Pure; a value that is safe to share between threads.
package struct MaskingPolicy: Sendable, Hashable {
    package static let lists = [WireName.privateNames.description, WireName.privateCommonNames.description]
    /// JSON within JSON is followed this deep; below it, texts are searched as they stand.
    private static let deepestText = 8

    /// The names of private columns by the tag of their event, and of those common to all.
    package private(set) var own: [String: Set<String>]
    package private(set) var common: Set<String>
    /// The tags of all events that the team has defined; `nil` where nothing is known of them.
    package let defined: Set<String>?
    /// The private columns of records of other tags: those of any event.
    package let undefined: Set<String>
    /// All of them in lower case, for the answers of databases, which are free in the case of names.
    private var names: Set<String>
    private let scrubber = CredentialScrubber()
    /// Take the place of a record's private values, where these have to be told from each other; `nil`, the default, for
    /// ``Record/mask`` in the place of all.
    package var pseudonyms: Pseudonyms?

    /// - Parameters:
    ///   - own: the private columns of each event by its tag. Default: only what records say of themselves.
    ///   - common: the private columns common to all events.
    ///   - defined: the tags of all events that are defined. Default: unknown, so that no tag counts as undefined.
    package init(own: [String: Set<String>] = [:], common: Set<String> = [], defined: Set<String>? = nil) {
        self.own = own.filter { !$0.value.isEmpty }
        self.common = common
        self.defined = defined
        undefined = defined == nil ? [] : own.values.reduce(into: []) { $0.formUnion($1) }
        names = Set(own.values.reduce(common) { $0.union($1) }.map { $0.lowercased() })
    }

    /// What either policy hides.
    package func union(_ other: MaskingPolicy) -> MaskingPolicy {
        let defined = [defined, other.defined].compactMap { $0 }
        return MaskingPolicy(
            own: own.merging(other.own) { $0.union($1) }, common: common.union(other.common),
            defined: defined.first.map { defined.dropFirst().reduce($0) { $0.union($1) } })
    }

    /// Whether the definitions, or a record that was learned from, call a column private.
    package func isPrivate(_ column: String, of tag: String) -> Bool {
        common.contains(column) || own[tag]?.contains(column) == true || isUndefined(tag) && undefined.contains(column)
    }

    private func isUndefined(_ tag: String) -> Bool { defined?.contains(tag) == false }

    /// The private columns of records of a tag.
    private func columns(of tag: String) -> Set<String> {
        let known = common.union(own[tag] ?? [])
        return isUndefined(tag) ? known.union(undefined) : known
    }

    /// Whether any event has a private column of this name: for results that no longer tell whose they are.
    package func isPrivateAnywhere(_ column: String) -> Bool {
        names.contains(column.lowercased())
    }

    /// What takes the place of any value under a name, where nothing tells whose; `nil` where values are shown.
    package func standIn(forValuesOf name: String) -> String? {
        if isPrivateAnywhere(name) { return Record.mask }
        return scrubber.isSecret(name) ? CredentialScrubber.replacement : nil
    }

    /// Remembers what a record's sender calls private, for what is shown of the record where it is no longer whole.
    package mutating func learn(tag: String, attributes: String, context: String) {
        let told = Self.told([Self.object(attributes), Self.object(context)])
        guard !told.isEmpty else { return }
        own[tag, default: []].formUnion(told)
        names.formUnion(told.map { $0.lowercased() })
    }

    /// The names of all private columns, whosever they are.
    package var columns: Set<String> { own.values.reduce(common) { $0.union($1) } }

    /// The names that the text of a record's attributes or context calls private.
    package static func told(in text: String) -> Set<String> { told([object(text)]) }

    // MARK: Records

    /// A record's attributes and context as people may see them: texts of JSON objects; other texts are searched for
    /// credentials as they stand.
    package func masked(
        attributes: String, context: String, of tag: String
    ) -> (attributes: String, context: String) {
        let objects = [Self.object(attributes), Self.object(context)]
        let hidden = Self.told(objects).union(columns(of: tag))
        let texts = zip([attributes, context], objects).map { text, object in
            guard let object else { return masked(text) }
            let clean = masked(object, hiding: hidden)
            return clean == object ? text : JSONWriter.text(.object(clean))
        }
        return (texts[0], texts[1])
    }

    /// A text of no column in particular: a message, a reason, a name. JSON within it is read.
    package func masked(_ text: String) -> String { masked(text, depth: 0) }

    /// A value under the name of a column, where nothing tells whose: an answer to a statement, for example.
    package func masked(_ value: Value, named name: String) -> Value {
        guard value != .null else { return value }
        if let standIn = standIn(forValuesOf: name) { return .string(standIn) }
        guard case .string(let text) = value else { return masked(value, depth: 0) }
        guard let object = Self.object(text) else { return .string(masked(text)) }
        // A record's whole attributes or context, or an object made of them.
        var hidden = Self.told([object])
        for element in object.elements where isPrivateAnywhere(element.key) { hidden.insert(element.key) }
        let clean = masked(object, hiding: hidden)
        return clean == object ? value : .string(JSONWriter.text(.object(clean)))
    }

    /// A line of prose about records, such as a verdict's reason: what it says of private columns as `name = value`,
    /// `name is value` or `name: value` is masked, and credentials are replaced.
    package func masked(reason: String) -> String {
        let bytes = Array(reason.utf8)
        var result: [UInt8] = []
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, Self.isWordByte(bytes[end]) { end += 1 }
            guard end > start else {
                result.append(bytes[start])
                start += 1
                continue
            }
            let word = bytes[start..<end]
            result += word
            start = end
            let name = String(decoding: word, as: UTF8.self)
            guard let standIn = standIn(forValuesOf: name), let value = Self.value(in: bytes, after: end) else {
                continue
            }
            result += bytes[end..<value.lowerBound]
            result += standIn.utf8
            start = value.upperBound
        }
        return masked(String(decoding: result, as: UTF8.self))
    }

    /// Where the value of the name stands that ends at `end`.
    private static func value(in bytes: [UInt8], after end: Int) -> Range<Int>? {
        let links = [" = ", " is ", ": "]
        guard let link = links.first(where: { bytes[end...].starts(with: $0.utf8) }) else { return nil }
        let start = end + link.utf8.count
        guard start < bytes.count else { return nil }
        var index = start
        if bytes[start] == UInt8(ascii: "\"") {
            // Texts are written as they are, quotation marks within them included: the last before an end counts.
            while let quote = bytes[(index + 1)...].firstIndex(of: UInt8(ascii: "\"")) {
                index = quote
                if quote + 1 == bytes.count || isEnd(bytes[quote + 1]) || bytes[quote + 1] == 0x20 { break }
            }
            return index > start ? start..<(index + 1) : start..<bytes.count
        }
        if bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") {
            return start..<JSONScrubber.valueEnd(bytes, start)
        }
        while index < bytes.count, bytes[index] != 0x20, !isEnd(bytes[index]) { index += 1 }
        return bytes[start..<index].elementsEqual("absent".utf8) ? nil : start..<index
    }

    private static func isEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: ")"), UInt8(ascii: "}"),
            UInt8(ascii: "`"), UInt8(ascii: "\n"):
            true
        default: false
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
        default: byte >= 0x80
        }
    }

    // MARK: Values

    private func masked(_ object: Attributes, hiding hidden: Set<String>) -> Attributes {
        var object = object
        for index in object.elements.indices where object.elements[index].value != .null {
            let element = object.elements[index]
            if Self.lists.contains(element.key) { continue }
            object.elements[index].value =
                hidden.contains(element.key) ? standIn(for: element.value) : masked(element, depth: 0)
        }
        return object
    }

    private func standIn(for value: Value) -> Value {
        guard let pseudonyms, value != .string(Record.mask) else { return .string(Record.mask) }
        return pseudonyms.standIn(for: value)
    }

    private func masked(_ element: Attributes.Element, depth: Int) -> Value {
        if element.value == .null || element.value == .string(Record.mask) { return element.value }
        return scrubber.isSecret(element.key)
            ? .string(CredentialScrubber.replacement) : masked(element.value, depth: depth)
    }

    private func masked(_ value: Value, depth: Int) -> Value {
        switch value {
        case .string(let text): return .string(masked(text, depth: depth))
        case .array(let items): return .array(items.map { masked($0, depth: depth) })
        case .object(var object):
            for index in object.elements.indices {
                object.elements[index].value = masked(object.elements[index], depth: depth)
            }
            return .object(object)
        case .null, .bool, .int, .double, .bytes: return value
        }
    }

    private func masked(_ text: String, depth: Int) -> String {
        let first = text.utf8.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return scrubber.scrubbed(text) }
        if depth < Self.deepestText, let value = try? JSONReader.value(of: Array(text.utf8)) {
            let clean = masked(value, depth: depth + 1)
            return clean == value ? text : JSONWriter.text(clean)
        }
        // Cut off, or no JSON after all: as far as it goes.
        return scrubber.scrubbed(JSONScrubber(scrubber: scrubber).scrubbed(text))
    }

    private static func object(_ text: String) -> Attributes? {
        guard text.utf8.count > 2, text.utf8.first == UInt8(ascii: "{"),
            case .object(let object)? = try? JSONReader.value(of: Array(text.utf8))
        else { return nil }
        return object
    }

    /// The names that senders call private in their records.
    private static func told(_ objects: [Attributes?]) -> Set<String> {
        var names: Set<String> = []
        for element in objects.flatMap({ $0?.elements ?? [] }) where lists.contains(element.key) {
            if case .array(let list) = element.value { names.formUnion(list.compactMap(\.text)) }
        }
        return names
    }
}

extension MaskingPolicy {
    /// A record that was not stored yet, as people may see it.
    package func masked(_ record: Record) -> Record {
        var record = record
        let names = columns(of: record.tag).union(record.privateNames)
        record.attributes = masked(record.attributes, hiding: names)
        record.context = masked(record.context, hiding: names)
        record.message = record.message.map { masked($0) }
        record.failure = record.failure.map { masked($0) }
        return record
    }
}

extension Record {
    /// The record as people may see it.
    package func masked(by policy: MaskingPolicy) -> Record { policy.masked(self) }
}
