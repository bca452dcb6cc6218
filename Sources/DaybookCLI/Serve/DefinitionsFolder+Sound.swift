import DaybookDefinitions

extension DefinitionsFolder {
    /// The definitions of a folder.
    /// - Throws: What cannot be read, or all located errors at once.
    static func sound(_ folder: String) throws -> Definitions {
        let (definitions, diagnostics) = try load(folder)
        let errors = diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty else {
            throw InputError(file: folder, message: errors.map(\.description).joined(separator: "\n"))
        }
        return definitions
    }
}
