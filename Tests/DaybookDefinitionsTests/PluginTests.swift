import Foundation
import Testing

/// The build plugin in a package of its own, built by a nested `swift build` in a temporary folder.
@Suite(.enabled(if: ProcessResult.hasCompiler, "swift is not on the PATH"))
struct PluginTests {
    private static let manifest = """
        // swift-tools-version: 6.1
        import PackageDescription

        let package = Package(
            name: "scratch",
            platforms: [.macOS(.v15)],
            dependencies: [.package(name: "daybook", path: "\(packageRoot.path)")],
            targets: [
                .target(
                    name: "App", dependencies: [.product(name: "Daybook", package: "daybook")],
                    exclude: ["LogDefinitions"],
                    plugins: [.plugin(name: "DaybookDefinitionsPlugin", package: "daybook")])
            ],
            swiftLanguageModes: [.v6]
        )
        """

    @Test func buildFollowsTheDefinitions() throws {
        try withTemporaryFolder { folder in
            func build() throws -> ProcessResult {
                try ProcessResult.run(["swift", "build", "--scratch-path", ".build", "--jobs", "2"], in: folder)
            }
            let definitions = "Sources/App/LogDefinitions"
            try folder.write(PluginTests.manifest, to: "Package.swift")
            try folder.write("import Daybook\nfunc a() -> A { .x(n: 3) }\n", to: "Sources/App/App.swift")
            try folder.write("# a\n\n## x\n\n- n: !bigint\n", to: "\(definitions)/a.md")
            let first = try build()
            #expect(first.status == 0, "\(first.output.suffix(4000))")

            try folder.write("# a\n\n## x\n\n- n: !bignit\n", to: "\(definitions)/a.md")
            let broken = try build()
            #expect(broken.status != 0)
            #expect(
                broken.output.contains("/a.md:5:6: error: unknown type `!bignit` (did you mean `!bigint`?)"),
                "\(broken.output.suffix(4000))")

            try folder.write("# a\n\n## x\n\n- n: !bigint\n", to: "\(definitions)/a.md")
            try folder.write("# b\n\n## y\n", to: "\(definitions)/b.md")
            try folder.write("import Daybook\nfunc b() -> B { .y }\n", to: "Sources/App/Added.swift")
            let added = try build()
            #expect(added.status == 0, "\(added.output.suffix(4000))")

            try FileManager.default.removeItem(at: folder.appending(path: "\(definitions)/b.md"))
            let deleted = try build()
            #expect(deleted.status != 0)
            #expect(deleted.output.contains("cannot find type 'B' in scope"), "\(deleted.output.suffix(4000))")
        }
    }
}
