/// Adds attributes to the records of some tags: `Append("feed.**", ["experiment": "b"])`.
public struct Append: FilterStage, Enrichment {
    public let pattern: String
    private let attributes: @Sendable () -> Attributes

    /// Adds what `attributes` gives at the time of each record. It is called within the journal's lock: it must not log,
    /// lock or wait.
    public init(_ pattern: String = "**", _ attributes: @escaping @autoclosure @Sendable () -> Attributes) {
        self.pattern = pattern
        self.attributes = attributes
    }

    public var action: FilterAction { .enrich(self) }

    public func encode(into fields: inout FieldEncoder) { fields.add(attributes()) }
}
