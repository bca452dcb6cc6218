import DaybookBase

/// The masking of sensitive values, the same for screens, copies, exports, commands, reports, traces and alerts.
///
/// Private values are those of columns that the definitions, or a record's sender, mark as private; ``Record/mask``
/// replaces them. A name that is private in any event is private in every record, at any depth and in any spelling
/// (``FoldedName``), unless the record's own event declares it otherwise. Credentials are found by name and form, in
/// values, in texts and in JSON within texts; ``CredentialScrubber/replacement`` replaces them. Everything else stays
/// byte for byte. Pure; thread-safe.
package struct MaskingPolicy: Sendable, Hashable {
    package static let lists = [WireName.privateNames.description, WireName.privateCommonNames.description]
    /// Shown for every record in lists of sessions and versions, so never hidden.
    static let always: Set<String> = ["service.version", "device.model.name", "device.model.identifier"]
    /// The depth to which nested JSON texts are parsed; a deeper text that names a private column is masked whole.
    private static let deepestText = 8

    /// Names of all private columns, folded.
    package let names: Set<String>
    /// By event tag, the ``names`` that the event declares as not private.
    package let open: [String: Set<String>]
    /// What records have marked as private, by tag; folded.
    private var told: [String: Set<String>] = [:]
    private let scrubber = CredentialScrubber()
    /// Distinguishable stand-ins for private values; `nil`, the default, replaces all by ``Record/mask``.
    package var pseudonyms: Pseudonyms?

    /// - Parameters:
    ///   - names: private columns of any event, and private common columns. Default: only what records mark themselves.
    ///   - open: by event tag, the columns that the event declares as not private.
    package init(private names: Set<String> = [], open: [String: Set<String>] = [:]) {
        let folded = Set(names.map(FoldedName.of)).subtracting(Self.always)
        self.names = folded
        self.open = open.mapValues { Set($0.map(FoldedName.of)).intersection(folded) }.filter { !$0.value.isEmpty }
    }

    /// Hides what either policy hides.
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

    /// Whether the definitions, or a learned record, mark a column as private.
    package func isPrivate(_ column: String, of tag: String) -> Bool {
        let name = FoldedName.of(column)
        return hidden(of: tag).contains(name) || told[tag]?.contains(name) == true
    }

    /// Names to hide in one context.
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

    /// What is hidden if the event is unknown.
    private var anywhere: Hidden { Hidden(names: names) }

    /// Whether any event has a private column of this name, for results without an event.
    package func isPrivateAnywhere(_ column: String) -> Bool {
        let name = FoldedName.of(column)
        return names.contains(name) || told.values.contains { $0.contains(name) }
    }

    /// The stand-in for all values of a name, if the event is unknown; `nil` if they are shown.
    package func standIn(forValuesOf name: String) -> String? {
        if isPrivateAnywhere(name) { return Record.mask }
        return scrubber.isSecret(name) ? CredentialScrubber.replacement : nil
    }

    /// Remembers what a record's sender marks as private, for later fragments of the record.
    package mutating func learn(tag: String, attributes: String, context: String) {
        let said = Self.told([Self.object(attributes), Self.object(context)])
        if !said.isEmpty { told[tag, default: []].formUnion(said) }
    }

    /// The names that a text of attributes or context marks as private, folded.
    package static func told(in text: String) -> Set<String> { told([object(text)]) }

    // MARK: Records

    /// A record's masked attributes and context: JSON objects; other texts are masked as texts.
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

    /// Whether readers see a column of a record otherwise than it is, in its attributes or its context.
    package func hides(_ column: String, attributes: Attributes, context: Attributes, of tag: String) -> Bool {
        guard !Self.lists.contains(column) else { return false }
        let hidden = hidden(of: tag, told: Self.told([attributes, context]))
        return [attributes[column], context[column]].contains { value in
            guard let value else { return false }
            return masked(Attributes.Element(column, value), hiding: hidden, depth: 0) != value
        }
    }

    /// A text without a column: a message, a reason, a name. JSON within it is parsed.
    package func masked(_ text: String) -> String { masked(text, hiding: anywhere, depth: 0) }

    /// A value under a column's name without its event, such as in a statement's result.
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

    /// Masks a line of prose about records, such as a verdict's reason: values of private columns in `name = value`,
    /// `name is value` or `name: value`, and credentials.
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

    /// The range of the value after a name that ends at `end`.
    private static func value(in bytes: [UInt8], after end: Int) -> Range<Int>? {
        let links = [" = ", " is ", ": "]
        guard let link = links.first(where: { bytes[end...].starts(with: $0.utf8) }) else { return nil }
        let start = end + link.utf8.count
        guard start < bytes.count else { return nil }
        var index = start
        if bytes[start] == UInt8(ascii: "\"") {
            // Quotes within a text are not escaped: the last one before an end counts.
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
        // Truncated or embedded JSON: the end of a value cannot be found.
        if QuotedNames.contain(hidden.contains, in: text) { return Record.mask }
        return scrubber.scrubbed(isJSON ? JSONScrubber(scrubber: scrubber).scrubbed(text) : text)
    }

    private static func object(_ text: String) -> Attributes? {
        text.utf8.count > 2 && text.utf8.first == UInt8(ascii: "{") ? Attributes(json: text) : nil
    }

    /// The names that senders mark as private in their records, folded.
    private static func told(_ objects: [Attributes?]) -> Set<String> {
        var names: Set<String> = []
        for element in objects.flatMap({ $0?.elements ?? [] }) where lists.contains(element.key) {
            if case .array(let list) = element.value { names.formUnion(list.compactMap(\.text).map(FoldedName.of)) }
        }
        return names.subtracting(always)
    }
}

extension MaskingPolicy {
    /// A record before storage, masked.
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
    package func masked(by policy: MaskingPolicy) -> Record { policy.masked(self) }
}
