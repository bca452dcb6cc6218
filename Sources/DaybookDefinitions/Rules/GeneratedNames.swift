/// Names stay distinct and valid in Swift: no two equal, none beginning with a digit.
struct GeneratedNames: DefinitionRule {
    let id = RuleID.generatedNames

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var categories = Names(what: "category")
        var common = Names(what: "column")
        for column in definitions.common { common.add(column.name, SwiftName.member(column.name), at: column.location) }
        var diagnostics = common.diagnostics
        for category in definitions.categories {
            categories.add(category.name, SwiftName.type(category.name), at: category.location)
            var events = Names(what: "event")
            var shared = Names(what: "column")
            for column in category.columns {
                shared.add(column.name, SwiftName.member(column.name), at: column.location)
            }
            diagnostics += shared.diagnostics
            for event in category.events {
                events.add(event.name, SwiftName.member(event.name), at: event.location)
                var own = Names(what: "column")
                for column in event.columns {
                    let name = SwiftName.member(column.name)
                    if !own.collide(column.name, name, at: column.location, with: shared) {
                        own.add(column.name, name, at: column.location)
                    }
                }
                diagnostics += own.diagnostics
            }
            diagnostics += events.diagnostics
        }
        return diagnostics + categories.diagnostics
    }
}

private struct Names {
    let what: String
    private(set) var diagnostics: [Diagnostic] = []
    private var first: [String: (source: String, location: SourceLocation)] = [:]

    init(what: String) { self.what = what }

    mutating func add(_ source: String, _ swift: String, at location: SourceLocation) {
        guard let start = swift.unicodeScalars.first else {
            // An event without a name was reported by the parser.
            guard !source.isEmpty else { return }
            diagnostics.append(.error(location, "the \(what) name `\(source.clipped)` has no letter"))
            return
        }
        if start.isASCIIDigit {
            diagnostics.append(
                .error(
                    location, "the \(what) name `\(source.clipped)` begins with a digit",
                    hint: "begin it with a letter"))
        } else if what == "column", swift == "self" {
            diagnostics.append(.error(location, "`self` cannot be a column's name", hint: "choose another name"))
        } else if !collide(source, swift, at: location, with: self) {
            first[swift] = (source, location)
        }
    }

    /// Whether another name has become `swift`. Equal names are duplicates, which have their own rule.
    mutating func collide(
        _ source: String, _ swift: String, at location: SourceLocation, with others: Names
    ) -> Bool {
        guard let other = others.first[swift] else { return false }
        if other.source != source {
            let names = "`\(other.source.clipped)` and `\(source.clipped)`"
            diagnostics.append(
                .error(
                    location, "the \(what) names \(names) both become `\(swift.clipped)` in Swift",
                    hint: "the other is in \(other.location)"))
        }
        return true
    }
}

/// A category's enum is a type in the app: it must not be named like a team's type, or shadow one that generated code
/// uses.
struct GeneratedTypeNames: DefinitionRule {
    let id = RuleID.generatedTypeNames
    /// Types that generated code refers to.
    static let taken: Set = [
        "Bool", "Date", "Daybook", "Double", "EventDescriptor", "FieldEncoder", "Float",
        "Foundation", "Int", "Int16", "Int32", "Int64", "LogContext", "LogEvent", "LogValue", "Optional", "Sendable",
        "String", "Swift",
        // Types that surrounding code uses most: in log calls, and in every app.
        "Data", "Error", "Log", "Result", "Task", "URL",
    ]

    let context: String

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var categories: [String: Category] = [:]
        for category in definitions.categories {
            let name = SwiftName.type(category.name)
            categories[name] = categories[name] ?? category
            if isTaken(name) || SwiftName.isKeyword(name) {
                diagnostics.append(
                    .error(
                        category.location, "the category becomes the type `\(name)`, which hides the one of that name",
                        hint: "say more, as in `\(category.name)_log`"))
            }
        }
        for site in sites {
            guard case .custom(let type) = site.column.type else { continue }
            if SwiftName.isKeyword(type) {
                diagnostics.append(
                    .error(site.column.location, "no Swift type can be named `\(type)`", hint: "choose another name"))
            } else if let category = categories[type] {
                diagnostics.append(
                    .error(
                        site.column.location, "the type `\(type)` has the name of a category's enum",
                        hint: "the category is defined in \(category.location)"))
            } else if !site.column.values.isEmpty, isTaken(type) {
                diagnostics.append(
                    .error(site.column.location, "an enum cannot be named `\(type)`", hint: "choose another name"))
            }
        }
        return diagnostics
    }

    private func isTaken(_ name: String) -> Bool { name == context || GeneratedTypeNames.taken.contains(name) }
}
