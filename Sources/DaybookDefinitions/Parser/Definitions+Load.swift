extension Definitions {
    /// Reads definition files and checks them against every rule.
    ///
    /// - Parameters:
    ///   - files: The Markdown files: a path (shown in diagnostics; its last part names the category) and the bytes.
    ///     Any bytes are accepted. Their order does not matter.
    ///   - rules: Which rules apply, and how strictly. Default: ``RuleID/standardLevel``.
    /// - Returns: What could be read, and everything there is to say about it, ordered by place. With an error among
    ///   the diagnostics the definitions are incomplete: show them, but generate nothing from them.
    public static func load(
        _ files: [(path: String, bytes: [UInt8])], rules: RuleSettings = RuleSettings()
    ) -> (Definitions, [Diagnostic]) {
        var definitions = Definitions()
        var diagnostics: [Diagnostic] = []
        for file in files.sorted(by: { $0.path < $1.path }) {
            let read = DefinitionFile(path: file.path, bytes: file.bytes)
            diagnostics += read.diagnostics
            if !read.isCommon {
                definitions.categories.append(read.category)
            } else if let first = definitions.commonLocation {
                diagnostics.append(
                    .error(
                        read.category.location, "the common columns are defined a second time",
                        hint: "they are defined in \(first.file)"))
            } else {
                definitions.common = read.category.columns
                definitions.commonDescription = read.category.description
                definitions.commonLocation = read.category.location
            }
        }
        definitions.categories.sort { ($0.name, $0.location.file) < ($1.name, $1.location.file) }
        diagnostics += rules.findings(in: definitions)
        return (definitions, rules.applied(to: diagnostics).ordered())
    }
}
