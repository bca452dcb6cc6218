import Foundation

/// The plugin's cost in a build without changes: two packages that differ only in the plugin, in turns.
struct UnchangedBuildRow {
    let folder: URL

    func run() throws {
        let (with, without) = (folder.appending(path: "with"), folder.appending(path: "without"))
        try makePackage(at: with, hasPlugin: true)
        try makePackage(at: without, hasPlugin: false)
        let build = ["swift", "build", "--target", "App"]
        for package in [with, without] { _ = try ChildProcess.run(build, in: package) }
        var added: [Double] = []
        for _ in 0..<7 {
            let alone = try ChildProcess.run(build, in: without)
            let generated = try ChildProcess.run(build, in: with)
            added.append(generated.user - alone.user)
        }
        printFigure(
            "added to a build with nothing changed, 500 files, processor time", seconds(added.median),
            target: "≤ 0.1 s", isMet: added.median <= 0.1)
    }

    /// The repository that this program was built from.
    private static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func makePackage(at folder: URL, hasPlugin: Bool) throws {
        let sources = folder.appending(path: "Sources/App")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Data("enum App {}\n".utf8).write(to: sources.appending(path: "App.swift"))
        // Only the number of files matters.
        try SampleDefinitions(files: 500, eventsInAFile: 1).write(to: folder.appending(path: "LogDefinitions"))
        let plugin = #", plugins: [.plugin(name: "DaybookDefinitionsPlugin", package: "daybook")]"#
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "unchanged", platforms: [.macOS(.v13)],
                dependencies: [.package(name: "daybook", path: "\(Self.repository.path)")],
                targets: [
                    .target(
                        name: "App",
                        dependencies: [.product(name: "Daybook", package: "daybook")]\(hasPlugin ? plugin : ""))
                ])
            """
        try Data(manifest.utf8).write(to: folder.appending(path: "Package.swift"))
    }
}
