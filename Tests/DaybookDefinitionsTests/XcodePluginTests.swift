import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import DaybookDefinitions

private enum Toolchain {
    /// The toolchain's folder with the module that plugins import.
    static let pluginAPI: String? = {
        struct TargetInfo: Decodable {
            struct Paths: Decodable { let runtimeResourcePath: String }
            let paths: Paths
        }
        guard let result = try? ProcessResult.run(["swiftc", "-print-target-info"]), result.status == 0,
            let info = try? JSONDecoder().decode(TargetInfo.self, from: Data(result.output.utf8))
        else { return nil }
        let path = info.paths.runtimeResourcePath + "/pm/PluginAPI"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }()
}

@Suite(
    .enabled(if: Toolchain.pluginAPI != nil, "the compiler's PackagePlugin module was not found"), .temporaryDirectory)
struct XcodePluginTests {
    private let folder = TemporaryDirectory.current.url

    @Test(
        "The Xcode half of each plugin type-checks", arguments: ["DaybookDefinitionsPlugin", "DaybookDictionaryPlugin"])
    func xcodePluginTypeChecks(name: String) throws {
        let pluginAPI = try #require(Toolchain.pluginAPI)
        let stub = fixtures.appending(path: "Xcode/XcodeProjectPlugin.swift").path
        let plugin = ["Plugin", "ProjectFile"].map { packageRoot.appending(path: "Plugins/\(name)/\($0).swift").path }
        let common = [
            "swiftc", "-swift-version", "6", "-parse-as-library", "-package-description-version", "6.2.0", "-I",
            pluginAPI,
        ]
        let module = try ProcessResult.run(
            common + ["-module-name", "XcodeProjectPlugin", "-emit-module", stub], in: folder)
        #expect(module.status == 0, "\(module.output)")
        let checked = try ProcessResult.run(
            common + ["-I", ".", "-typecheck", "-warnings-as-errors"] + plugin, in: folder)
        #expect(checked.status == 0, "\(checked.output)")
    }
}
