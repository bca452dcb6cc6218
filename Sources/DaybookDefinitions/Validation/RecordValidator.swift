/// Judges recorded events by the definitions. Made once from them, then used for every record.
///
/// Only records of kind event are to be given to it: messages, errors and spans have no definition. A value; safe to
/// share between threads.
public struct RecordValidator: Sendable {
    /// At most this many violations of one record are reported.
    public static let greatestCount = 32

    private let events: [String: EventValidator]
    private let tags: [String]

    /// A validator for what `definitions` define.
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

    /// The tag that a mistyped one probably meant, or `nil`. It compares with every tag: ask for what is shown, not for
    /// every record.
    public func nearestTag(to tag: String) -> String? { Suggestion.nearest(to: tag, in: tags) }

    /// What is wrong with an event; empty if nothing is.
    ///
    /// - Parameters:
    ///   - tag: The record's tag.
    ///   - attributes: The record's own attributes: the text of a JSON object. Names with a dot belong to OpenTelemetry
    ///     and to Daybook and are passed over.
    ///   - context: The attributes common to all records, the same way; `nil` where they are unknown: then common
    ///     columns are not missed. They may also be among the attributes.
    public func violations(tag: String, attributes: String, context: String?) -> [Violation] {
        guard let event = events[tag] else { return [Violation(.undefinedEvent, tag: tag)] }
        return event.violations(attributes: Array(attributes.utf8), context: context.map { Array($0.utf8) })
    }
}

extension Definitions {
    /// The values of each custom type that lists them. The list may stand at another column of the type.
    var declaredValues: [String: [String]] {
        var values: [String: [String]] = [:]
        for site in columnSites where !site.column.values.isEmpty {
            guard case .custom(let type) = site.column.type, values[type] == nil else { continue }
            values[type] = site.column.values.map(\.value)
        }
        return values
    }
}
