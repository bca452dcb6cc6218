import Foundation
import PackagePlugin

/// Turns the inspector's web page into a Swift file, so that the binary embeds it.
@main
struct InspectorAssetsPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let folder = target.directoryURL.appending(path: "Assets")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])?
            .compactMap { $0 as? URL }
            .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
            .sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "PageAssets.generated.swift")
        return [
            .buildCommand(
                displayName: "Embedding the inspector's page",
                executable: try context.tool(named: "daybook-assets").url,
                arguments: [folder.path, output.path],
                inputFiles: files ?? [],
                outputFiles: [output])
        ]
    }
}
