/// No category, event of a category or column of an event is defined twice.
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

/// The warehouse's own columns cannot be defined.
struct ReservedColumnNames: DefinitionRule {
    let id = RuleID.reservedColumnNames
    static let reserved: Set = ["id", "log_id", "event_name", "event_category"]

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        sites.filter { ReservedColumnNames.reserved.contains($0.column.name) }.map { site in
            .error(
                site.column.location, "`\(site.column.name)` is a reserved column name",
                hint: "say whose it is, as in `recipe_\(site.column.name)`")
        }
    }
}

/// An event must not redefine a common column.
struct ShadowedCommonColumns: DefinitionRule {
    let id = RuleID.shadowedCommonColumns

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        let common = Dictionary(definitions.common.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return sites.compactMap { site in
            guard !site.isCommon, let hidden = common[site.column.name] else { return nil }
            return .error(
                site.column.location, "`\(site.column.name)` is a common column already",
                hint: "it is defined in \(hidden.location)")
        }
    }
}

/// Names are lowercase words separated by `_`. Off unless enabled by the project.
struct SnakeCaseNames: DefinitionRule {
    let id = RuleID.snakeCaseNames

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        definitions.names(sites).compactMap { name, what, location in
            guard name.utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else {
                return nil
            }
            return .error(
                location, "the \(what)'s name `\(name.clipped)` has capitals",
                hint: "write `\(SnakeCaseNames.corrected(name).clipped)`")
        }
    }

    /// `recipeID` → `recipe_id`.
    private static func corrected(_ name: String) -> String {
        var result = ""
        var afterSmall = false
        for scalar in name.unicodeScalars {
            let isCapital = ("A"..."Z").contains(scalar)
            if isCapital, afterSmall { result.append("_") }
            result += scalar.properties.lowercaseMapping
            afterSmall = !isCapital && scalar != "_"
        }
        return result
    }
}

/// Names fit the columns of a warehouse: at most 64 characters, or the project's limit.
struct NameLength: DefinitionRule {
    let id = RuleID.nameLength
    let greatest: Int

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        definitions.names(sites).compactMap { name, what, location in
            let count = name.unicodeScalars.count
            guard count > greatest else { return nil }
            return .error(
                location, "the \(what)'s name has \(count) characters; at most \(greatest) are allowed")
        }
    }
}

extension Definitions {
    /// All names, with what bears each and where.
    fileprivate func names(_ sites: [ColumnSite]) -> [(name: String, bearer: String, location: SourceLocation)] {
        categories.flatMap { category in
            [(category.name, "category", category.location)] + category.events.map { ($0.name, "event", $0.location) }
        } + sites.map { ($0.column.name, "column", $0.column.location) }
    }
}
