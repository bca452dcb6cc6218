import Foundation
import PackagePlugin

/// Generates `LogDictionary.project` for the in-app inspector, with the definitions, checklists and links named in
/// `daybook.json`.
///
/// This is internal text: use the plugin in a separate target that depends on `DaybookInspector` and is only linked by
/// builds with the inspector.
@main
struct DaybookDictionaryPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        try commands(
            root: context.package.directoryURL, target: target.name,
            tool: context.tool(named: "daybook-definitions").url, output: context.pluginWorkDirectoryURL)
    }

    private func commands(root: URL, target: String, tool: URL, output: URL) throws -> [Command] {
        guard let project = projectFile(above: root) else {
            Diagnostics.error(
                "target \(target) uses DaybookDictionaryPlugin, but there is no project file at or above \(root.path); "
                    + "write `{}` to daybook.json in the repository's root")
            return []
        }
        let file = output.appending(path: "LogDictionary.swift")
        return [
            .buildCommand(
                displayName: "Embedding the dictionary of \(target)", executable: tool,
                arguments: ["generate-swift-dictionary", "--project", project.path, "--output", file.path],
                inputFiles: [project] + (try markdown(of: project)), outputFiles: [file])
        ]
    }

    /// The folders in a project file. The tool that runs later reports errors.
    private struct Folders: Decodable {
        var definitions: [String]?
        var checklists: String?
    }

    /// The project's possible Markdown files: those below the named folders or, for a name with `*`, below the part
    /// before it.
    private func markdown(of project: URL) throws -> [URL] {
        let named = try? JSONDecoder().decode(Folders.self, from: Data(contentsOf: project))
        let patterns = (named?.definitions ?? ["LogDefinitions"]) + [named?.checklists].compactMap(\.self)
        let roots = patterns.map { $0.split(separator: "/").prefix { !$0.contains("*") }.joined(separator: "/") }
        let files = Set(roots).flatMap { below(project.deletingLastPathComponent().appending(path: $0)) }
        return Set(files).sorted { $0.path < $1.path }
    }

    private var endings: Set<String> { ["md", "markdown", "mdown", "mkd", "mkdn"] }

    private func below(_ folder: URL) -> [URL] {
        let found = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles, .skipsPackageDescendants])
        var files: [URL] = []
        while let file = found?.nextObject() as? URL {
            if ["node_modules", "DerivedData"].contains(file.lastPathComponent) { found?.skipDescendants() }
            if endings.contains(file.pathExtension.lowercased()) { files.append(file) }
        }
        return files
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension DaybookDictionaryPlugin: XcodeBuildToolPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            try commands(
                root: context.xcodeProject.directoryURL, target: target.displayName,
                tool: context.tool(named: "daybook-definitions").url, output: context.pluginWorkDirectoryURL)
        }
    }
#endif
