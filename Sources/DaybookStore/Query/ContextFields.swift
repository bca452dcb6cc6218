import Daybook

/// The members of a context that a store reads itself.
package struct ContextFields: Hashable {
    /// `service.version`.
    package var version: String?
    /// `device.model.name`, or else `device.model.identifier`.
    package var device: String?

    /// Reads the text of a JSON object; a text that is none has no fields.
    package init(_ context: String) {
        guard context.utf8.count > 2, case .object(let members)? = try? JSONReader.value(of: Array(context.utf8))
        else { return }
        version = Self.text(members, "service.version")
        device = Self.text(members, "device.model.name") ?? Self.text(members, "device.model.identifier")
    }

    private static func text(_ members: Attributes, _ key: String) -> String? {
        // Of a key given twice the first counts, as in SQL.
        switch members.elements.first(where: { $0.key == key })?.value {
        case .string(let text)?: text
        case .int(let number)?: String(number)
        default: nil
        }
    }
}

/// Reads the fields of contexts that are mostly the same from one record to the next.
package struct ContextFieldsCache {
    private var context = ""
    private var fields = ContextFields("")

    package init() {}

    package mutating func fields(of context: String) -> ContextFields {
        if context != self.context {
            self.context = context
            fields = ContextFields(context)
        }
        return fields
    }
}
