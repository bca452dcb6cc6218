import DaybookDefinitions
import DaybookStore

extension EventStore {
    /// How often each version of the app sent each event, by tag, erased records included: from the counts that stores
    /// keep. What Daybook itself records is left out.
    /// - Throws: ``StoreError``.
    package func sightings() async throws -> [String: [Coverage.Sighting]] {
        let events = try await tagSummaries().filter { $0.kind == "event" && !$0.tag.hasPrefix("daybook.") }
        return Dictionary(grouping: events, by: \.tag).mapValues { summaries in
            summaries.map { Coverage.Sighting(version: $0.version, count: $0.count) }
        }
    }
}
