import DaybookBase
import DaybookTools

/// A record whose attributes and context are texts of JSON, as stores keep them. A text is read when an item asks for a
/// column, and once only.
///
/// Not safe to share between threads.
package final class JSONChecklistRecord: ChecklistRecord {
    package let tag: String
    package let number: Int64
    package let time: Int64
    private let session: String?
    private let installation: String?
    private let level: Int
    private let texts: (attributes: String, context: String)
    private lazy var attributes = Self.object(texts.attributes)
    private lazy var context = Self.object(texts.context)
    private let mask: RecordMask?
    /// As readers see it; `nil` where they see all.
    private lazy var shown = mask?.shown(attributes: texts.attributes, context: texts.context, of: tag)
        .map { (attributes: Self.object($0.attributes), context: Self.object($0.context)) }

    /// - Parameters:
    ///   - number: what a report, and an address of the inspector, name the record by.
    ///   - level: the severity's number; 0 where the sender gave none.
    ///   - attributes: the text of a JSON object; a text that is none has no columns.
    ///   - context: the same of the common attributes.
    ///   - mask: what readers do not see. Default: nothing.
    package init(
        tag: String, number: Int64, time: Int64, level: Int, session: String?, installation: String?,
        attributes: String, context: String, mask: RecordMask? = nil
    ) {
        self.tag = tag
        self.number = number
        self.time = time
        self.level = level
        self.session = session
        self.installation = installation
        texts = (attributes, context)
        self.mask = mask
    }

    package func value(of column: String) -> ChecklistValue? {
        JudgedRecord.value(
            of: column, attributes: attributes, context: context, level: Int64(level),
            session: session.map { .string($0) }, installation: installation.map { .string($0) })
    }

    package func commonValue(of column: String) -> ChecklistValue? { context[column].flatMap { ChecklistValue($0) } }

    /// Whether readers do not see a column's value, or not all of it.
    package func hides(_ column: String) -> Bool {
        // It may have been masked before it was stored or sent.
        if value(of: column)?.isMasked == true { return true }
        guard let shown else { return false }
        return shown.attributes[column] != attributes[column] || shown.context[column] != context[column]
    }

    private static func object(_ text: String) -> Attributes {
        guard case .object(let attributes)? = try? JSONReader.value(of: Array(text.utf8)) else { return [:] }
        return attributes
    }
}
