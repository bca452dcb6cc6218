/// A column name has one type and one limit everywhere. Optionality may differ.
struct OneTypePerColumn: DefinitionRule {
    let id = RuleID.oneTypePerColumn

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var first: [String: Column] = [:]
        var diagnostics: [Diagnostic] = []
        for site in sites where !site.isCommon {
            let column = site.column
            guard let known = first[column.name] else {
                first[column.name] = column
                continue
            }
            guard known.type != column.type else { continue }
            diagnostics.append(
                .error(
                    column.location,
                    "`\(column.name)` is `\(column.type.source)` here and `\(known.type.source)` in \(known.location)",
                    hint: "a column name has one type in all events"))
        }
        return diagnostics
    }
}

/// All lists of a custom type's values are equal, and the values stay distinct in Swift.
struct DeclaredValueSets: DefinitionRule {
    let id = RuleID.declaredValueSets

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var first: [String: (location: SourceLocation, values: Set<String>)] = [:]
        var diagnostics: [Diagnostic] = []
        for site in sites where !site.column.values.isEmpty {
            let column = site.column
            guard case .custom(let type) = column.type else { continue }
            let values = Set(column.values.map(\.value))
            guard let known = first[type] else {
                first[type] = (column.location, values)
                diagnostics += collisions(column)
                continue
            }
            guard known.values != values else { continue }
            diagnostics.append(
                .error(
                    column.location, "the values of `\(type)` differ from those in \(known.location)",
                    hint: "list them in one place, or the same ones in both"))
        }
        return diagnostics
    }

    private func collisions(_ column: Column) -> [Diagnostic] {
        var first: [String: String] = [:]
        return column.values.compactMap { value in
            let name = SwiftName.value(value.value)
            guard let other = first.updateValue(first[name] ?? value.value, forKey: name) else { return nil }
            return .error(
                column.location,
                "the values `\(other.clipped)` and `\(value.value.clipped)` both become `\(name.clipped)` in Swift")
        }
    }
}

/// Only types with an exact text form have hashes worth comparing.
struct SensitiveColumnTypes: DefinitionRule {
    let id = RuleID.sensitiveColumnTypes

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        let enums = Set(sites.filter { !$0.column.values.isEmpty }.map(\.column.type))
        return sites.compactMap { site in
            guard site.column.classification == .sensitive else { return nil }
            switch site.column.type {
            case .string, .smallint, .integer, .bigint: return nil
            case .custom where enums.contains(site.column.type): return nil
            default:
                return .error(
                    site.column.location, "`\(site.column.type.source)` cannot be `[sensitive]`",
                    hint: "use `!string`, a whole number or a type with declared values")
            }
        }
    }
}

/// An event has at most 500 columns, including its category's, for the sake of warehouses and compilers.
struct ColumnCount: DefinitionRule {
    let id = RuleID.columnCount
    static let greatest = 500

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        func check(_ count: Int, _ what: String, at location: SourceLocation) {
            guard count > ColumnCount.greatest else { return }
            diagnostics.append(
                .error(location, "\(what) has \(count) columns; at most \(ColumnCount.greatest) are allowed"))
        }
        if let location = definitions.commonLocation { check(definitions.common.count, "the context", at: location) }
        for category in definitions.categories {
            check(category.columns.count, "the category", at: category.location)
            for event in category.events {
                check(category.columns.count + event.columns.count, "the event", at: event.location)
            }
        }
        return diagnostics
    }
}

/// Every event has a description of at least one paragraph that says when it is sent. Off unless enabled by the
/// project.
struct DescribedEvents: DefinitionRule {
    let id = RuleID.describedEvents

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        definitions.categories.flatMap { category in
            category.events.filter { $0.description.isEmpty }.map { event in
                .error(
                    event.location, "the event `\(event.name.clipped)` has no description",
                    hint: "say below the heading when it is sent")
            }
        }
    }
}
