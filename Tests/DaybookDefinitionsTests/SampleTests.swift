import Foundation
import Testing

@testable import DaybookDefinitions

struct SampleTests {
    @Test("The sample app shows every feature") func sampleShowsFeatures() throws {
        let sample = packageRoot.appending(path: "Examples/RecipeBox/LogDefinitions").path
        let source = try DefinitionsSource(sample)
        #expect(source.project != nil)
        #expect(source.diagnostics.isEmpty)
        let definitions = source.definitions
        #expect(definitions.categories.count >= 5)
        let events = definitions.categories.flatMap(\.events)
        #expect(events.count >= 18)
        #expect(events.contains { $0.isObsolete })
        let columns = definitions.columnSites.map(\.column)
        #expect(columns.contains { $0.isObsolete })
        #expect(columns.contains { $0.isOptional })
        #expect(columns.contains { $0.classification == .private })
        #expect(columns.contains { $0.classification == .sensitive })
        #expect(columns.contains { $0.type.isCustom && $0.values.isEmpty })
        for event in events { #expect(!event.description.isEmpty, "\(event.name) has no description") }
        for column in columns { #expect(!column.details.isEmpty, "\(column.name) has no note") }
    }
}
