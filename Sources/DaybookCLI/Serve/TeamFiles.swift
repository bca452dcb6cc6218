import DaybookChecklist
import DaybookDefinitions
import DaybookInspector
import Foundation

/// What a team has written down, and the inspector shows beside the records: from the command line's folders, or else from
/// the project of the current folder.
struct TeamFiles: Sendable {
    let definitions: Definitions
    let checklists: [Checklist]
    let links: InspectorLinks
    let coverage: CoverageFile?
    /// The folder of the project's alerts.
    let alertFolder: String?

    /// Reads `--definitions`, `--checklists` and `--coverage`.
    /// - Throws: The located errors of definitions, project file, a checklist or the report.
    init(_ arguments: Arguments) throws {
        let source = try Self.source(arguments["definitions"])
        let project = source?.project
        definitions = source?.definitions ?? Definitions()
        checklists = try (arguments["checklists"] ?? project?.checklistFolder).map(ChecklistFolder.load) ?? []
        links = project.map { InspectorLinks($0.project.links) } ?? InspectorLinks()
        coverage = try arguments["coverage"].map(CoverageFile.init)
        alertFolder = project?.alertFolder
    }

    private static func source(_ path: String?) throws -> DefinitionsSource? {
        let current = FileManager.default.currentDirectoryPath
        guard path != nil || ProjectFolder.file(above: current) != nil else { return nil }
        let source = try DefinitionsSource(path)
        _ = try source.soundDefinitions()
        return source
    }
}
