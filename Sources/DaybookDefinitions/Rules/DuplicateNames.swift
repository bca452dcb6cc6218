/// No category, no event of a category and no column of an event is defined twice.
struct DuplicateNames: DefinitionRule {
    let id = RuleID.duplicateNames

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var categories: [String: SourceLocation] = [:]
        var common: [String: SourceLocation] = [:]
        var found: [Diagnostic] = []
        found += repeated(definitions.common.map { ($0.name, $0.location) }, what: "common column", known: &common)
        for category in definitions.categories {
            found += repeated([(category.name, category.location)], what: "category", known: &categories)
            var events: [String: SourceLocation] = [:]
            found += repeated(category.events.map { ($0.name, $0.location) }, what: "event", known: &events)
            var shared: [String: SourceLocation] = [:]
            found += repeated(category.columns.map { ($0.name, $0.location) }, what: "column", known: &shared)
            for event in category.events {
                var own: [String: SourceLocation] = [:]
                for column in event.columns {
                    if let first = shared[column.name] {
                        found.append(duplicate("column", column.name, at: column.location, first: first))
                    } else if let first = own[column.name] {
                        found.append(duplicate("column", column.name, at: column.location, first: first))
                    } else {
                        own[column.name] = column.location
                    }
                }
            }
        }
        return found
    }

    private func repeated(
        _ names: [(name: String, location: SourceLocation)], what: String, known: inout [String: SourceLocation]
    ) -> [Diagnostic] {
        names.compactMap { name, location in
            guard let first = known[name] else {
                known[name] = location
                return nil
            }
            return duplicate(what, name, at: location, first: first)
        }
    }

    private func duplicate(
        _ what: String, _ name: String, at location: SourceLocation, first: SourceLocation
    ) -> Diagnostic {
        .error(location, "the \(what) `\(name.clipped)` is defined twice", hint: "first in \(first)")
    }
}
