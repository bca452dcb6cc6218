/// Names are written in small letters with `_` between words. Off unless a project asks for it.
struct SnakeCaseNames: DefinitionRule {
    let id = RuleID.snakeCaseNames

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        func check(_ name: String, _ what: String, at location: SourceLocation) {
            guard name.utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return }
            diagnostics.append(
                .error(
                    location, "the \(what)'s name `\(name.clipped)` has capitals",
                    hint: "write `\(SnakeCaseNames.corrected(name).clipped)`"))
        }
        for category in definitions.categories {
            check(category.name, "category", at: category.location)
            for event in category.events { check(event.name, "event", at: event.location) }
        }
        for site in sites { check(site.column.name, "column", at: site.column.location) }
        return diagnostics
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
