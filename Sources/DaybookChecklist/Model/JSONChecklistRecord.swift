import DaybookBase
import DaybookTools

/// A record with JSON texts as attributes and context, as in stores. A text is parsed once, when an item first asks for
/// a column.
///
/// Not thread-safe.
package final class JSONChecklistRecord: ChecklistRecord {
    package let tag: String
    package let number: Int64
    package let time: Int64
    private let session: String?
    private let installation: String?
    private let level: Int
    private let texts: (attributes: String, context: String)
    private lazy var attributes = Attributes(json: texts.attributes) ?? [:]
    private lazy var context = Attributes(json: texts.context) ?? [:]
    private let mask: RecordMask?
    /// What may hide some of it from readers.
    private lazy var policy = mask.flatMap { mask in
        mask.mayHide(attributes: texts.attributes, context: texts.context) ? mask.policy : nil
    }

    /// - Parameters:
    ///   - number: identifies the record in reports and inspector addresses.
    ///   - level: the severity number; 0 if the sender gave none.
    ///   - attributes: a JSON object; other texts have no columns.
    ///   - context: the common attributes, likewise.
    ///   - mask: hidden from readers. Default: nothing.
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

    /// Whether readers see a column's value incompletely or not at all.
    package func hides(_ column: String) -> Bool {
        // It may have been masked before it was stored or sent.
        if value(of: column)?.isMasked == true { return true }
        return policy?.hides(column, attributes: attributes, context: context, of: tag) ?? false
    }
}
