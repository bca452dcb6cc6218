import Foundation
import PackagePlugin

/// Generates a target's event types from its Markdown definitions at every build that finds them changed.
///
/// The definitions are the `.md` files in a folder `LogDefinitions`, in the target's folder or else in the package's
/// root. Exclude a folder inside the target from its sources (`exclude: ["LogDefinitions"]`).
@main
struct DaybookDefinitionsPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        try commands(
            folders: [target.directoryURL, context.package.directoryURL], target: target.name,
            tool: context.tool(named: "daybook-definitions").url, output: context.pluginWorkDirectoryURL)
    }

    private func commands(folders: [URL], target: String, tool: URL, output: URL) throws -> [Command] {
        let inputs = try folders.lazy.map { try definitions(in: $0.appending(path: "LogDefinitions")) }
            .first { !$0.isEmpty }
        guard let inputs else {
            Diagnostics.warning(
                "target \(target) uses DaybookDefinitionsPlugin, but no folder LogDefinitions with .md files was found")
            return []
        }
        let file = output.appending(path: "LogDefinitions.swift")
        return [
            .buildCommand(
                displayName: "Generating event types of \(target)", executable: tool,
                arguments: ["generate-swift", "--output", file.path] + inputs.map(\.path),
                inputFiles: inputs, outputFiles: [file])
        ]
    }

    /// The definition files of a folder, ordered by name; none if there is no such folder.
    private func definitions(in folder: URL) throws -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "md" && $0.lastPathComponent.lowercased() != "readme.md" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension DaybookDefinitionsPlugin: XcodeBuildToolPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            let root = context.xcodeProject.directoryURL
            return try commands(
                folders: [root.appending(path: target.displayName), root], target: target.displayName,
                tool: context.tool(named: "daybook-definitions").url, output: context.pluginWorkDirectoryURL)
        }
    }
#endif
