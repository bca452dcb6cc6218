import DaybookBase

/// What people see of values that are not for every eye: the one policy of screens, copies, exports, commands, reports,
/// traces and alerts.
///
/// Private values are those of the columns that the definitions, or a record's sender, call private; ``Record/mask`` takes
/// their place. A name that is private in any event is private in every record, at any depth and however it is written
/// (``FoldedName``), unless the record's own event declares it otherwise. Credentials are found by their names and by what
/// they look like, in values, in texts and in JSON within texts; ``CredentialScrubber/replacement`` takes their place. What
/// holds neither stays as it was written, byte for byte. Pure; a value that is safe to share between threads.
package struct MaskingPolicy: Sendable, Hashable {
    package static let lists = [WireName.privateNames.description, WireName.privateCommonNames.description]
    /// What lists of sessions and versions show of every record, and nobody can hide.
    private static let always: Set<String> = ["service.version", "device.model.name", "device.model.identifier"]
    /// JSON within JSON is followed this deep; a text below it that names a private column is masked whole.
    private static let deepestText = 8

    /// The names of all private columns, folded.
    package let names: Set<String>
    /// By the tag of an event, those of ``names`` that it declares, and does not call private.
    package let open: [String: Set<String>]
    /// What records have said of themselves, by their tags; folded.
    private var told: [String: Set<String>] = [:]
    private let scrubber = CredentialScrubber()
    /// Take the place of a record's private values, where these have to be told from each other; `nil`, the default, for
    /// ``Record/mask`` in the place of all.
    package var pseudonyms: Pseudonyms?

    /// - Parameters:
    ///   - names: the private columns of any event, and those common to all. Default: only what records say of themselves.
    ///   - open: by the tag of an event, the columns that it declares, and does not call private.
    package init(private names: Set<String> = [], open: [String: Set<String>] = [:]) {
        let folded = Set(names.map(FoldedName.of)).subtracting(Self.always)
        self.names = folded
        self.open = open.mapValues { Set($0.map(FoldedName.of)).intersection(folded) }.filter { !$0.value.isEmpty }
    }

    /// What either policy hides.
    package func union(_ other: MaskingPolicy) -> MaskingPolicy {
        let all = names.union(other.names)
        let tags = Set(open.keys).union(other.open.keys)
        return MaskingPolicy(
            private: all,
            open: Dictionary(
                uniqueKeysWithValues: tags.map { tag in
                    (tag, all.filter { !hidden(of: tag).contains($0) && !other.hidden(of: tag).contains($0) })
                }))
    }

    /// Whether the definitions, or a record that was learned from, call a column private.
    package func isPrivate(_ column: String, of tag: String) -> Bool {
        let name = FoldedName.of(column)
        return hidden(of: tag).contains(name) || told[tag]?.contains(name) == true
    }

    /// The names whose values are hidden somewhere.
    private struct Hidden {
        var names: Set<String>
        var open: Set<String> = []
        var told: Set<String> = []

        /// - Parameter name: folded.
        func contains(_ name: String) -> Bool { told.contains(name) || names.contains(name) && !open.contains(name) }
    }

    private func hidden(of tag: String, told: Set<String> = []) -> Hidden {
        Hidden(names: names, open: open[tag] ?? [], told: told)
    }

    /// What is hidden where nothing tells of which event something is.
    private var anywhere: Hidden { Hidden(names: names) }

    /// Whether any event has a private column of this name: for results that no longer tell whose they are.
    package func isPrivateAnywhere(_ column: String) -> Bool {
        let name = FoldedName.of(column)
        return names.contains(name) || told.values.contains { $0.contains(name) }
    }

    /// What takes the place of any value under a name, where nothing tells whose; `nil` where values are shown.
    package func standIn(forValuesOf name: String) -> String? {
        if isPrivateAnywhere(name) { return Record.mask }
        return scrubber.isSecret(name) ? CredentialScrubber.replacement : nil
    }

    /// Remembers what a record's sender calls private, for what is shown of the record where it is no longer whole.
    package mutating func learn(tag: String, attributes: String, context: String) {
        let said = Self.told([Self.object(attributes), Self.object(context)])
        if !said.isEmpty { told[tag, default: []].formUnion(said) }
    }

    /// The names that the text of a record's attributes or context calls private, folded.
    package static func told(in text: String) -> Set<String> { told([object(text)]) }

    // MARK: Records

    /// A record's attributes and context as people may see them: texts of JSON objects; other texts are read as they stand.
    package func masked(
        attributes: String, context: String, of tag: String
    ) -> (attributes: String, context: String) {
        let objects = [Self.object(attributes), Self.object(context)]
        let hidden = hidden(of: tag, told: Self.told(objects))
        let texts = zip([attributes, context], objects).map { text, object in
            guard let object else { return masked(text) }
            let clean = masked(object, hiding: hidden)
            return clean == object ? text : JSONWriter.text(.object(clean))
        }
        return (texts[0], texts[1])
    }

    /// A text of no column in particular: a message, a reason, a name. JSON within it is read.
    package func masked(_ text: String) -> String { masked(text, hiding: anywhere, depth: 0) }

    /// A value under the name of a column, where nothing tells whose: an answer to a statement, for example.
    package func masked(_ value: Value, named name: String) -> Value {
        guard value != .null else { return value }
        if let standIn = standIn(forValuesOf: name) { return .string(standIn) }
        guard case .string(let text) = value else { return masked(value, hiding: anywhere, depth: 0) }
        guard let object = Self.object(text) else { return .string(masked(text)) }
        // A record's whole attributes or context, or an object made of them.
        var hidden = anywhere
        hidden.told = told.values.reduce(Self.told([object])) { $0.union($1) }
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

    private func masked(_ object: Attributes, hiding hidden: Hidden) -> Attributes {
        var object = object
        for index in object.elements.indices where !Self.lists.contains(object.elements[index].key) {
            object.elements[index].value = masked(object.elements[index], hiding: hidden, depth: 0)
        }
        return object
    }

    private func standIn(for value: Value) -> Value {
        guard let pseudonyms, value != .string(Record.mask) else { return .string(Record.mask) }
        return pseudonyms.standIn(for: value)
    }

    private func masked(_ element: Attributes.Element, hiding hidden: Hidden, depth: Int) -> Value {
        if element.value == .null { return .null }
        let name = FoldedName.of(element.key)
        if hidden.contains(name) { return standIn(for: element.value) }
        if element.value == .string(Record.mask) { return element.value }
        return scrubber.isSecret(name)
            ? .string(CredentialScrubber.replacement) : masked(element.value, hiding: hidden, depth: depth)
    }

    private func masked(_ value: Value, hiding hidden: Hidden, depth: Int) -> Value {
        switch value {
        case .string(let text): return .string(masked(text, hiding: hidden, depth: depth))
        case .array(let items): return .array(items.map { masked($0, hiding: hidden, depth: depth) })
        case .object(var object):
            for index in object.elements.indices {
                object.elements[index].value = masked(object.elements[index], hiding: hidden, depth: depth)
            }
            return .object(object)
        case .null, .bool, .int, .double, .bytes: return value
        }
    }

    private func masked(_ text: String, hiding hidden: Hidden, depth: Int) -> String {
        let first = text.utf8.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        if isJSON, depth < Self.deepestText, let value = try? JSONReader.value(of: Array(text.utf8)) {
            let clean = masked(value, hiding: hidden, depth: depth + 1)
            return clean == value ? text : JSONWriter.text(clean)
        }
        // JSON that was cut off, or that stands within other words: nothing tells where a value of it ends.
        if QuotedNames.contain(hidden.contains, in: text) { return Record.mask }
        return scrubber.scrubbed(isJSON ? JSONScrubber(scrubber: scrubber).scrubbed(text) : text)
    }

    private static func object(_ text: String) -> Attributes? {
        guard text.utf8.count > 2, text.utf8.first == UInt8(ascii: "{"),
            case .object(let object)? = try? JSONReader.value(of: Array(text.utf8))
        else { return nil }
        return object
    }

    /// The names that senders call private in their records, folded.
    private static func told(_ objects: [Attributes?]) -> Set<String> {
        var names: Set<String> = []
        for element in objects.flatMap({ $0?.elements ?? [] }) where lists.contains(element.key) {
            if case .array(let list) = element.value { names.formUnion(list.compactMap(\.text).map(FoldedName.of)) }
        }
        return names.subtracting(always)
    }
}

extension MaskingPolicy {
    /// A record that was not stored yet, as people may see it.
    package func masked(_ record: Record) -> Record {
        var record = record
        let hidden = hidden(of: record.tag, told: Set(record.privateNames.map(FoldedName.of)))
        record.attributes = masked(record.attributes, hiding: hidden)
        record.context = masked(record.context, hiding: hidden)
        record.message = record.message.map { masked($0) }
        record.failure = record.failure.map { masked($0) }
        return record
    }
}

extension Record {
    /// The record as people may see it.
    package func masked(by policy: MaskingPolicy) -> Record { policy.masked(self) }
}
