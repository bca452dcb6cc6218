import Foundation
import PackagePlugin

/// Generates a target's event types from its Markdown definitions whenever they change.
///
/// The definitions are the Markdown files in the folder `LogDefinitions` of the target or else of the package. Exclude
/// a folder inside the target from its sources (`exclude: ["LogDefinitions"]`). Options come from a project file
/// `daybook.json` in the package's root or a folder above, up to the repository's root; its rules apply to all modules'
/// definitions.
@main
struct DaybookDefinitionsPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        try commands(
            folders: [target.directoryURL, context.package.directoryURL], root: context.package.directoryURL,
            target: target.name, tool: context.tool(named: "daybook-definitions").url,
            output: context.pluginWorkDirectoryURL)
    }

    private func commands(folders: [URL], root: URL, target: String, tool: URL, output: URL) throws -> [Command] {
        let inputs = try folders.lazy.map { try definitions(in: $0.appending(path: "LogDefinitions")) }
            .first { !$0.isEmpty }
        guard let inputs else {
            Diagnostics.warning(
                "target \(target) uses DaybookDefinitionsPlugin, but no folder LogDefinitions with .md files was found")
            return []
        }
        let file = output.appending(path: "LogDefinitions.swift")
        var arguments = ["generate-swift", "--locate-types", "--output", file.path]
        var files = inputs
        if let project = projectFile(above: root) {
            arguments += ["--project", project.path]
            files.append(project)
        }
        arguments += inputs.map(\.path)
        return [
            .buildCommand(
                displayName: "Generating event types of \(target)", executable: tool,
                arguments: arguments, inputFiles: files, outputFiles: [file])
        ]
    }

    /// A folder's definition files by name; none if the folder is missing.
    private func definitions(in folder: URL) throws -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        let endings: Set = ["md", "markdown", "mdown", "mkd", "mkdn"]
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        for file in files where ["txt", "text", "mdx"].contains(file.pathExtension.lowercased()) {
            Diagnostics.warning("\(file.path): this file is not read, because its name does not end in .md")
        }
        return files.filter { file in
            endings.contains(file.pathExtension.lowercased())
                && file.deletingPathExtension().lastPathComponent.lowercased() != "readme"
        }
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension DaybookDefinitionsPlugin: XcodeBuildToolPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            let root = context.xcodeProject.directoryURL
            return try commands(
                folders: [root.appending(path: target.displayName), root], root: root, target: target.displayName,
                tool: context.tool(named: "daybook-definitions").url, output: context.pluginWorkDirectoryURL)
        }
    }
#endif
