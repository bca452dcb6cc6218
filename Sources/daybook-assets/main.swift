import Foundation

// Usage: daybook-assets FOLDER OUTPUT. Run by InspectorAssetsPlugin.
do {
    try AssetEmbedder.run(arguments: CommandLine.arguments)
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(2)
}
