import Daybook
import DaybookBase
import DaybookDefinitions
import DaybookTools

/// Delivers an app's records to a separate store, for an inspector within the app.
///
/// A store with SQL gets a collector's views (`messages`, `errors`, `requests`, …) before its first records. Records
/// have the same identity as at a collector, so a resent batch is stored once. Private columns are stored unmasked, as
/// there; the inspector masks them. Safe to share between threads.
public struct StoreOutput: BatchOutput {
    public let id: String
    /// `false`: the store is on the device.
    public var needsNetwork: Bool { false }
    private let store: any EventStore
    private let definitions: Definitions
    private let hasViews = Flag()

    /// Creates an output. Give its route a short delay, so that the inspector is up to date.
    ///
    /// ```swift
    /// let store = MemoryStore()
    /// let app = try Pipeline(directory: folder) {
    ///     Route("**", to: StoreOutput(store), batch: BatchLimits(delay: .milliseconds(250)))
    /// }
    /// ```
    /// - Parameters:
    ///   - store: Where to store the records.
    ///   - id: The output's name in ledgers; unique in a pipeline. Default: `store`.
    ///   - definitions: The team's definitions, for a view of each event. Default: none.
    public init(_ store: any EventStore, id: String = "store", definitions: Definitions = Definitions()) {
        self.store = store
        self.id = id
        self.definitions = definitions
    }

    public func send(_ batch: Batch) async -> Delivery {
        let resources = batch.contexts.map(\.decodedResource)
        let rows = zip(batch.items, batch.records).map { item, record in
            RecordRow(record, stream: batch.stream, resource: resources[item.context])
        }
        let origin = RecordBatch.Origin(
            stream: "\(batch.stream)/\(batch.output)/store", after: batch.after, through: batch.through)
        do {
            if !hasViews.value.load(ordering: .relaxed) {
                try await store.createViews(of: definitions)
                hasViews.value.store(true, ordering: .relaxed)
            }
            try await store.append(RecordBatch(origin: origin, rows: rows))
            return .delivered
        } catch {
            return .retry(after: nil, reason: "\(error)")
        }
    }
}

private final class Flag: Sendable {
    let value = Atomic(false)
}

extension RecordRow {
    /// An app's record as a row, equal to parsing its line in ``TextFormat/json``; includes private values.
    init(_ record: Record, stream: String, resource: Attributes) {
        var context = Attributes()
        context.elements = resource.elements + record.context.elements
        let session = context[WireName.session.description]?.text
        context[WireName.session.description] = nil
        self.init(
            uid: "\(stream)-\(record.sequence)", time: record.time, kind: record.kind,
            level: Int(record.level.rawValue),
            tag: record.tag.storableName, attributes: JSONWriter.text(record.storedAttributes.storable),
            context: JSONWriter.text(context.storable))
        sequence = record.sequence
        message = record.message?.storable
        module = record.module?.storableName
        self.session = session?.storableName
        installation = resource[WireName.installation]?.text?.storableName
        traceID = record.span?.traceID
        spanID = record.span?.spanID
        parentSpanID = record.parentSpanID.map { Hex.text($0) }
        duration = record.duration
        file = record.file?.storableName
        function = record.function?.storableName
        line = record.line
    }
}
