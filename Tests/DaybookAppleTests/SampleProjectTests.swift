import Foundation
import Testing

/// The sample's Xcode project must be consistent, since no Xcode opens it here.
@Suite struct SampleProjectTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let folder = root.appending(path: "Examples/RecipeBoxApp")
    private static let project = folder.appending(path: "RecipeBoxApp.xcodeproj")

    private typealias Object = [String: Any]
    private let objects: [String: Object]
    private let rootObject: String

    init() throws {
        let data = try Data(contentsOf: Self.project.appending(path: "project.pbxproj"))
        let list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? Object)
        // The format of Xcode 16, whose folders list no files.
        #expect(list["objectVersion"] as? String == "77")
        objects = try #require(list["objects"] as? [String: Object])
        rootObject = try #require(list["rootObject"] as? String)
    }

    private func all(_ isa: String) -> [Object] { objects.values.filter { $0["isa"] as? String == isa } }

    private func object(_ key: String, of owner: Object) throws -> Object {
        let identifier = try #require(owner[key] as? String, "\(key)")
        return try #require(objects[identifier], "\(key): \(identifier)")
    }

    private func objects(_ key: String, of owner: Object) throws -> [Object] {
        try (owner[key] as? [String] ?? []).map { try #require(objects[$0], "\(key): \($0)") }
    }

    @Test("Every reference resolves and every object is referenced") func referencesResolve() throws {
        var referred: Set<String> = [rootObject]
        func visit(_ value: Any, _ place: String) {
            switch value {
            case let text as String where text.count == 24 && text.allSatisfy(\.isHexDigit):
                #expect(objects[text] != nil, "\(place) refers to \(text)")
                referred.insert(text)
            case let list as [Any]: for item in list { visit(item, place) }
            case let object as Object:
                for (key, item) in object {
                    visit(key, place)
                    visit(item, "\(place).\(key)")
                }
            default: break
            }
        }
        for (identifier, object) in objects { visit(object, "\(identifier) \(object["isa"] ?? "")") }
        #expect(referred == Set(objects.keys))
        #expect(objects.count > 50)
    }

    @Test("Targets have their folders, phases and configurations") func targetsAreComplete() throws {
        let project = try #require(objects[rootObject])
        let targets = try objects("targets", of: project)
        #expect(
            targets.map { $0["name"] as? String } == ["RecipeBoxApp", "RecipeBoxAppTests", "RecipeBoxAppUITests"])
        for target in targets {
            let folders = try objects("fileSystemSynchronizedGroups", of: target)
            #expect(!folders.isEmpty)
            for folder in folders {
                let url = Self.folder.appending(path: try #require(folder["path"] as? String))
                let files = try FileManager.default.contentsOfDirectory(atPath: url.path)
                #expect(files.contains { $0.hasSuffix(".swift") }, "\(url.path)")
            }
            #expect(
                try objects("buildPhases", of: target).map { $0["isa"] as? String }
                    == ["PBXSourcesBuildPhase", "PBXFrameworksBuildPhase", "PBXResourcesBuildPhase"])
            let configurations = try objects(
                "buildConfigurations", of: object("buildConfigurationList", of: target))
            #expect(configurations.map { $0["name"] as? String } == ["Debug", "Release"])
            for configuration in configurations {
                let settings = try #require(configuration["buildSettings"] as? [String: String])
                #expect(settings["PRODUCT_BUNDLE_IDENTIFIER"]?.hasPrefix("com.example.recipebox") == true)
                if let file = settings["INFOPLIST_FILE"] {
                    let plist = try PropertyListSerialization.propertyList(
                        from: Data(contentsOf: Self.folder.appending(path: file)), format: nil)
                    let security = (plist as? Object)?["NSAppTransportSecurity"] as? [String: Bool]
                    #expect(security == ["NSAllowsLocalNetworking": true])
                }
            }
        }
    }

    @Test("Each target links exactly the package products it imports") func linksImportedProducts() throws {
        for target in all("PBXNativeTarget") {
            var products: Set<String> = []
            for dependency in try objects("packageProductDependencies", of: target) {
                let path = try #require(try object("package", of: dependency)["relativePath"] as? String)
                let manifest = Self.folder.appending(path: path).standardizedFileURL.appending(path: "Package.swift")
                let name = try #require(dependency["productName"] as? String)
                #expect(
                    try String(contentsOf: manifest, encoding: .utf8).contains(".library(name: \"\(name)\""),
                    "\(name) is no product of \(path)")
                products.insert(name)
            }
            let phase = try #require(
                try objects("buildPhases", of: target).first { $0["isa"] as? String == "PBXFrameworksBuildPhase" })
            let linked = try objects("files", of: phase).map {
                try object("productRef", of: $0)["productName"] as? String
            }
            #expect(Set(linked.compactMap(\.self)) == products)
            // A target links what its files import of ours.
            var imported: Set<String> = []
            for folder in try objects("fileSystemSynchronizedGroups", of: target) {
                let url = Self.folder.appending(path: try #require(folder["path"] as? String))
                for file in try FileManager.default.contentsOfDirectory(atPath: url.path) {
                    let text = try String(contentsOf: url.appending(path: file), encoding: .utf8)
                    imported.formUnion(
                        text.matches(of: /import ((?:Daybook|RecipeBox)\w*)/).map { String($0.output.1) })
                }
            }
            #expect(imported == products, "\(target["name"] ?? "")")
        }
    }

    @Test("The scheme names the project's targets") func schemeNamesTargets() throws {
        let scheme = try String(
            contentsOf: Self.project.appending(path: "xcshareddata/xcschemes/RecipeBoxApp.xcscheme"), encoding: .utf8)
        let blueprints = scheme.matches(of: /BlueprintIdentifier = "(\w+)"\s+BuildableName = "([\w.]+)"/)
        #expect(blueprints.count == 5)
        for blueprint in blueprints {
            let target = try #require(objects[String(blueprint.output.1)])
            #expect(try object("productReference", of: target)["path"] as? String == String(blueprint.output.2))
        }
        let uiTests = try #require(all("PBXNativeTarget").first { $0["name"] as? String == "RecipeBoxAppUITests" })
        let settings = try objects("buildConfigurations", of: object("buildConfigurationList", of: uiTests))
            .map { ($0["buildSettings"] as? [String: String])?["TEST_TARGET_NAME"] }
        #expect(settings == ["RecipeBoxApp", "RecipeBoxApp"])
    }
}
