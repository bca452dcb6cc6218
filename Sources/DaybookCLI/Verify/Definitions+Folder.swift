import DaybookDefinitions

extension Definitions {
    /// The definitions of a folder.
    ///
    /// - Throws: if it cannot be read, or a definition is in error.
    static func checked(_ folder: String) throws -> Definitions {
        let (definitions, diagnostics) = try DefinitionsFolder.load(folder)
        let errors = diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty else {
            throw InputError(file: folder, message: errors.map(\.description).joined(separator: "\n"))
        }
        return definitions
    }

    /// The tags of events whose columns or common columns are not as in `old`, and of those that are new. What a
    /// description says, and where an event stands, does not matter.
    func changedEvents(since old: Definitions) -> Set<String> {
        let before = old.shapes
        return Set(shapes.filter { before[$0.key] != $0.value }.keys)
    }

    private var shapes: [String: Set<String>] {
        var shapes: [String: Set<String>] = [:]
        for category in categories {
            for event in category.events {
                let columns = (event.columns + category.columns + common).map { column in
                    "\(column.name) \(column.type.source) \(column.isOptional) \(column.isObsolete) "
                        + "\(column.classification.rawValue) \(column.values.map(\.value))"
                }
                shapes["\(category.name).\(event.name)"] = Set(columns + ["obsolete: \(event.isObsolete)"])
            }
        }
        return shapes
    }
}
