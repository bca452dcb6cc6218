import DaybookBase
import DaybookTools

/// Validates recorded events against definitions. Created once, then used for every record.
///
/// Pass only records of kind event: messages, errors and spans have no definition. Thread-safe.
public struct RecordValidator: Sendable {
    /// The most violations of one record that are reported.
    public static let greatestCount = 32

    private let events: [String: EventValidator]
    private let tags: [String]

    /// Creates a validator for `definitions`.
    public init(_ definitions: Definitions) {
        var events: [String: EventValidator] = [:]
        let declared = definitions.declaredValues
        for category in definitions.categories {
            for event in category.events {
                let tag = "\(category.name).\(event.name)"
                guard events[tag] == nil else { continue }
                events[tag] = EventValidator(
                    tag: tag, isObsolete: event.isObsolete, own: category.columns + event.columns,
                    common: definitions.common, declared: declared)
            }
        }
        self.events = events
        tags = events.keys.sorted()
    }

    /// Whether a definition has this tag.
    public func isDefined(_ tag: String) -> Bool { events[tag] != nil }

    /// The tag that a mistyped one probably meant, or `nil`. Compares with every tag, so call it for what is shown, not
    /// for every record.
    public func nearestTag(to tag: String) -> String? { NearestName.of(tag, among: tags) }

    /// An event's violations; empty if it is valid.
    ///
    /// - Parameters:
    ///   - tag: The record's tag.
    ///   - attributes: The record's own attributes, as the text of a JSON object. Names with a dot belong to
    ///     OpenTelemetry and to Daybook and are ignored.
    ///   - context: The attributes common to all records, in the same form; `nil` if unknown: then common columns are
    ///     not reported as missing. They may also be among the attributes.
    public func violations(tag: String, attributes: String, context: String?) -> [Violation] {
        guard let event = events[tag] else { return [Violation(.undefinedEvent, tag: tag)] }
        return event.violations(attributes: Array(attributes.utf8), context: context.map { Array($0.utf8) })
    }
}

extension Definitions {
    /// Each custom type's values. The list may be at another column of the type.
    var declaredValues: [String: [String]] {
        var values: [String: [String]] = [:]
        for site in columnSites where !site.column.values.isEmpty {
            guard case .custom(let type) = site.column.type, values[type] == nil else { continue }
            values[type] = site.column.values.map(\.value)
        }
        return values
    }
}

/// An event's definition, prepared for validation.
struct EventValidator: Sendable {
    private let tag: String
    private let isObsolete: Bool
    private let columns: [ColumnValidator]
    /// The event's own columns come first in `columns`, then the common ones.
    private let ownCount: Int
    private let places: [String: Int]

    init(tag: String, isObsolete: Bool, own: [Column], common: [Column], declared: [String: [String]]) {
        self.tag = tag
        self.isObsolete = isObsolete
        columns = (own + common).map { ColumnValidator($0, declared: declared) }
        ownCount = own.count
        places = Dictionary(
            columns.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    func violations(attributes: [UInt8], context: [UInt8]?) -> [Violation] {
        var found: [Violation] = []
        if isObsolete { found.append(Violation(.obsoleteEvent, tag: tag)) }
        var isPresent = [Bool](repeating: false, count: columns.count)
        do {
            try scan(attributes, isContext: false, &isPresent, &found)
            if let context { try scan(context, isContext: true, &isPresent, &found) }
        } catch {
            found.append(Violation(.unreadable, tag: tag))
            return found
        }
        let required = context == nil ? ownCount : columns.count
        for index in 0..<required where !isPresent[index] && columns[index].isRequired {
            found.append(Violation(.missingColumn, tag: tag, column: columns[index].name))
        }
        return Array(found.prefix(RecordValidator.greatestCount))
    }

    private func scan(
        _ bytes: [UInt8], isContext: Bool, _ isPresent: inout [Bool], _ found: inout [Violation]
    ) throws(JSONFault) {
        var scanner = JSONScanner(bytes)
        guard case .beginObject = try scanner.value() else {
            throw JSONFault(.notAValue, 0)
        }
        // Senders write columns in definition order, so try the next one first.
        var expected = isContext ? ownCount : 0
        var isFirst = true
        while let name = try scanner.member(&isFirst) {
            let index = place(of: name, in: bytes, near: &expected)
            let value = try scanner.value()
            if let index {
                if case .null = value {} else { isPresent[index] = true }
                if let violation = columns[index].violation(of: value, in: bytes, tag: tag) { add(violation, &found) }
            } else if !isContext, !bytes[name.range].contains(UInt8(ascii: ".")) {
                add(Violation(.undefinedColumn, tag: tag, column: name.text(in: bytes).clipped), &found)
            }
            switch value {
            case .beginObject, .beginArray: try scanner.skipContainer()
            default: break
            }
        }
        try scanner.end()
    }

    private func place(of name: JSONString, in bytes: [UInt8], near expected: inout Int) -> Int? {
        if expected < columns.count, name.equals(columns[expected].nameBytes, in: bytes) {
            expected += 1
            return expected - 1
        }
        guard let index = places[name.text(in: bytes)] else { return nil }
        expected = index + 1
        return index
    }

    private func add(_ violation: Violation, _ found: inout [Violation]) {
        if found.count < RecordValidator.greatestCount { found.append(violation) }
    }
}
