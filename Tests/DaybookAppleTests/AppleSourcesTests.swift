import DaybookProcesses
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

#if !canImport(Darwin)
    /// The code for Apple's platforms compiles against declarations of just the API that it uses: its syntax, types,
    /// conformances and isolation are checked. That Xcode builds it, this does not show.
    @Suite(.serialized) struct AppleSourcesTests {
        /// In the order of their imports.
        private static let frameworks = ["os", "OSLog", "Network", "MetricKit", "UIKit", "WebKit", "SwiftUI"]

        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()

        @Test func moduleCompiles() async throws {
            let stubs = try await stubs()
            defer { stubs.remove() }
            let result = try await check(try sources(), stubs: stubs)
            #expect(result.status == 0, "\(result.text)")
        }

        @Test func mistakeInAppleCodeIsNoticed() async throws {
            let stubs = try await stubs()
            defer { stubs.remove() }
            for (mistake, complaint) in [
                ("func f() { UIDevice.current.systemVersions }", "has no member 'systemVersions'"),
                ("func f() { _ = UIDevice.current.systemName }", "main actor-isolated"),
            ] {
                let file = stubs.url.appending(path: "Mistake.swift")
                try "import UIKit\n\(mistake)\n".write(to: file, atomically: true, encoding: .utf8)
                let result = try await check([file.path], stubs: stubs)
                #expect(result.status != 0)
                #expect(result.text.contains(complaint), "\(result.text)")
            }
        }

        /// The sample app for Xcode, over the built module's Apple part and the sample's own generated events.
        @Test func sampleAppCompiles() async throws {
            let stubs = try await stubs()
            defer { stubs.remove() }
            let module = try await compile(
                [
                    "-emit-module", "-module-name", "DaybookApple", "-o",
                    stubs.url.appending(path: "DaybookApple.swiftmodule").path,
                ]
                    + sources(), stubs: stubs)
            try #require(module.status == 0, "\(module.text)")
            let sample = Self.root.appending(path: "Examples/RecipeBox")
            let events = stubs.url.appending(path: "Events.swift").path
            let generated = try await run([
                BuiltProduct.url("daybook-definitions").path, "generate-swift", "--output", events,
                sample.appending(path: "LogDefinitions").path,
            ])
            try #require(generated.status == 0, "\(generated.text)")
            let dictionary = stubs.url.appending(path: "LogDictionary.swift").path
            let embedded = try await run([
                BuiltProduct.url("daybook-definitions").path, "generate-swift-dictionary", "--output", dictionary,
                "--project", sample.appending(path: "daybook.json").path,
            ])
            try #require(embedded.status == 0, "\(embedded.text)")
            let words = try await compile(
                [
                    "-emit-module", "-module-name", "RecipeBoxDictionary", "-o",
                    stubs.url.appending(path: "RecipeBoxDictionary.swiftmodule").path, dictionary,
                ], stubs: stubs)
            try #require(words.status == 0, "\(words.text)")
            let types = try await compile(
                [
                    "-emit-module", "-module-name", "RecipeBoxEvents", "-o",
                    stubs.url.appending(path: "RecipeBoxEvents.swiftmodule").path, events,
                    sample.appending(path: "Sources/RecipeBoxEvents/Cuisine.swift").path,
                ], stubs: stubs)
            try #require(types.status == 0, "\(types.text)")
            // As developers have it, and as the store gets it.
            for flags in [["-D", "DEBUG"], []] {
                let result = try await check(flags + appFiles(in: ["App", "Model"]), stubs: stubs)
                #expect(result.status == 0, "\(flags): \(result.text)")
            }
            let unitTests = try await check(appFiles(in: ["Model", "Tests"]), stubs: stubs)
            #expect(unitTests.status == 0, "\(unitTests.text)")
            // XCTest itself is there; what Xcode adds for UI tests is declared.
            let uiTests = try await check(
                appFiles(in: ["UITests"]) + [
                    Self.root.appending(path: "Tests/DaybookAppleTests/Stubs/XCUITest.swift").path
                ],
                stubs: stubs)
            #expect(uiTests.status == 0, "\(uiTests.text)")
        }

        /// The Swift files in folders of the sample app.
        private func appFiles(in folders: [String]) throws -> [String] {
            try folders.flatMap { folder in
                let url = Self.root.appending(path: "Examples/RecipeBoxApp/\(folder)")
                let files = try FileManager.default.contentsOfDirectory(atPath: url.path).filter {
                    $0.hasSuffix(".swift")
                }
                try #require(!files.isEmpty)
                return files.sorted().map { url.appending(path: $0).path }
            }
        }

        /// Swift files of the module.
        private func sources() throws -> [String] {
            let folder = Self.root.appending(path: "Sources/DaybookApple")
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
                $0.hasSuffix(".swift")
            }
            // A check of no files would find nothing.
            try #require(files.count > 8)
            return files.sorted().map { folder.appending(path: $0).path }
        }

        /// The frameworks' declarations, compiled.
        private func stubs() async throws -> TemporaryDirectory {
            let directory = try TemporaryDirectory()
            for name in Self.frameworks {
                let result = try await run([
                    "swiftc", "-swift-version", "6", "-parse-as-library", "-emit-module", "-module-name", name,
                    "-I", directory.path, "-o", directory.url.appending(path: "\(name).swiftmodule").path,
                    Self.root.appending(path: "Tests/DaybookAppleTests/Stubs/\(name).swift").path,
                ])
                try #require(result.status == 0, "\(result.text)")
            }
            return directory
        }

        private func check(_ files: [String], stubs: TemporaryDirectory) async throws -> (status: Int32, text: String) {
            try await compile(["-typecheck", "-module-name", "Checked"] + files, stubs: stubs)
        }

        /// With the declarations, and with the modules of this build.
        private func compile(_ words: [String], stubs: TemporaryDirectory) async throws -> (status: Int32, text: String)
        {
            let products = BuiltProduct.url("Modules").deletingLastPathComponent()
            // The package manager names a package after its folder.
            let package = String(Self.root.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
            return try await run(
                [
                    "swiftc", "-swift-version", "6", "-warnings-as-errors", "-parse-as-library", "-package-name",
                    package,
                    "-I", stubs.path, "-I", products.appending(path: "Modules").path,
                    "-Xcc", "-fmodule-map-file=\(products.appending(path: "CChecksum.build/module.modulemap").path)",
                    "-Xcc", "-fmodule-map-file=\(products.appending(path: "CThreads.build/module.modulemap").path)",
                    "-Xcc", "-fmodule-map-file=\(Self.root.appending(path: "Sources/CZlib/module.modulemap").path)",
                    "-Xcc",
                    "-fmodule-map-file=\(Self.root.appending(path: "Sources/CSQLite/module.modulemap").path)",
                ] + words)
        }

        private func run(_ words: [String]) async throws -> (status: Int32, text: String) {
            try await offPool {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                process.arguments = words
                let pipe = Pipe()
                process.standardOutput = pipe
                process.standardError = pipe
                try process.run()
                let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
                process.waitUntilExit()
                return (process.terminationStatus, text)
            }
        }
    }
#endif
