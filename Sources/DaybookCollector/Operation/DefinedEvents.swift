import DaybookBase
import DaybookDefinitions
import DaybookStore
import DaybookTools

/// Counts how received events violate the definitions, and stores the counts beside the records: `SELECT event,
/// violation, "column", sum(count) FROM violations GROUP BY 1, 2, 3`.
///
/// A batch adds at most one row per event, violation, column and app version, so that a broken app cannot multiply
/// rows. Thread-safe.
package struct ViolationLog: Sendable {
    package static let tag = "daybook.violation"
    /// The most rows per batch.
    package static let greatestCount = 256

    private let validator: RecordValidator
    private let masking: MaskingPolicy
    private let store: any EventStore
    private let now: @Sendable () -> Int64

    /// - Parameter now: nanoseconds since 1970. Default: the system's clock.
    package init(
        definitions: Definitions, store: any EventStore,
        now: @escaping @Sendable () -> Int64 = PipelineClock.system.wall
    ) {
        validator = RecordValidator(definitions)
        masking = MaskingPolicy(definitions)
        self.store = store
        self.now = now
    }

    /// Stores the violations of rows that were just stored.
    /// - Throws: the store's error; the records themselves are already stored.
    package func record(_ found: [RecordRow]) async throws(AppendError) {
        if !found.isEmpty { try await store.append(RecordBatch(rows: found)) }
    }

    /// The violation rows of batches, in order of first occurrence.
    package func found(in batches: [RecordBatch]) -> [RecordRow] {
        struct Key: Hashable {
            var tag: String
            var kind: Violation.Kind
            var column: String?
            var version: String?
        }
        var contexts = ContextFieldsCache()
        var order: [Key] = []
        var counts: [Key: (count: Int64, first: Violation, uid: String)] = [:]
        for row in batches.lazy.flatMap(\.rows) where row.kind == .event && !row.isOwn {
            let context = row.attributes.hasBytes(of: "daybook.context.unknown") ? nil : row.context
            guard !validator.violations(tag: row.tag, attributes: row.attributes, context: context).isEmpty else {
                continue
            }
            // Masked, because readers of the counts may not see private values, and a violation reveals something of
            // its value.
            let seen = row.masked(by: masking)
            let found = validator.violations(
                tag: row.tag, attributes: seen.attributes, context: context == nil ? nil : seen.context)
            let version = contexts.fields(of: row.context).version
            for violation in found {
                let key = Key(tag: violation.tag, kind: violation.kind, column: violation.column, version: version)
                if counts[key] != nil {
                    counts[key]?.count += 1
                } else if order.count < Self.greatestCount {
                    order.append(key)
                    counts[key] = (1, violation, row.named(by: store.key).uid)
                }
            }
        }
        let time = now()
        return order.enumerated().compactMap { place, key in
            guard let (count, first, uid) = counts[key] else { return nil }
            var attributes: Attributes = [
                "event": .string(key.tag), "violation": .string(key.kind.rawValue), "count": .int(count),
                "message": .string(message(first)), "example": .string(uid),
            ]
            attributes["column"] = key.column.map { .string($0) }
            let context: Attributes = key.version.map { ["service.version": .string($0)] } ?? [:]
            return RecordRow(
                uid: "\(uid)/violation/\(place)", time: time, kind: .event, level: Int(Level.warning.rawValue),
                tag: Self.tag, attributes: JSONWriter.text(attributes), context: JSONWriter.text(context))
        }
    }

    private func message(_ violation: Violation) -> String {
        guard violation.kind == .undefinedEvent, let near = validator.nearestTag(to: violation.tag) else {
            return violation.message
        }
        return "\(violation.message); did you mean `\(near)`?"
    }

}

extension RecordAccess {
    /// The records of each event and app version, by tag; 0 if all were erased. Without Daybook's own.
    /// - Throws: ``StoreError``.
    package func sightings() async throws -> [String: [Coverage.Sighting]] {
        var sightings: [String: [Coverage.Sighting]] = [:]
        try await forEachTag { summary in
            guard summary.kind == "event", !OwnRecords.have(summary.tag) else { return }
            sightings[summary.tag, default: []].append(.init(version: summary.version, count: summary.count))
        }
        return sightings
    }
}
