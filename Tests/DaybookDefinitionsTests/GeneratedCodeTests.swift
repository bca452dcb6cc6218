import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import DaybookDefinitions

@Suite(.enabled(if: ProcessResult.hasCompiler, "swiftc is not on the PATH"), .standIn, .temporaryDirectory)
struct GeneratedCodeTests {
    private let folder = TemporaryDirectory.current.url

    private static let team = """
        import Daybook
        public enum Screen: String, LogValue { case home, results }
        """

    private func compile(_ sources: [String: String], _ options: [String], in folder: URL) throws -> ProcessResult {
        let library = try #require(StandInTrait.library).path
        for (name, text) in sources { try folder.write(text, to: name) }
        return try ProcessResult.run(
            ["swiftc", "-swift-version", "6", "-I", library, "-L", library] + options + sources.keys.sorted(),
            in: folder)
    }

    private func generate(_ name: String, _ options: SwiftOptions = SwiftOptions()) throws -> String {
        let (definitions, diagnostics) = try DefinitionsFolder.load(fixtures.appending(path: name).path)
        #expect(diagnostics.isEmpty)
        return SwiftGenerator(options).generate(definitions)
    }

    @Test("Code for every name and type compiles without warnings") func kitchenCompiles() throws {
        let generated = try generate("Kitchen")
        let result = try compile(["g.swift": generated], ["-typecheck", "-warnings-as-errors"], in: folder)
        #expect(result.status == 0, "\(result.output.prefix(4000))")
    }

    @Test("Code for the sample app compiles without warnings") func sampleCompiles() throws {
        let sample = packageRoot.appending(path: "Examples/RecipeBox/LogDefinitions").path
        let generated = SwiftGenerator().generate(try DefinitionsFolder.load(sample).0)
        let own = "import Daybook\npublic enum Cuisine: String, LogValue { case japanese }\n"
        let result = try compile(
            ["g.swift": generated, "own.swift": own], ["-typecheck", "-warnings-as-errors"], in: folder)
        #expect(result.status == 0, "\(result.output.prefix(4000))")
    }

    @Test("Generated events encode their columns in order") func encodesColumnsInOrder() throws {
        let main = """
            import Daybook
            import Foundation

            func show(_ event: some LogEvent) {
                var fields = FieldEncoder()
                event.encode(into: &fields)
                print(event.descriptor.tag, fields.lines.joined(separator: " "))
            }
            show(RecipeSearch.search(screen: .home, keyword: "egg"))
            show(RecipeSearch.search(
                screen: .results, keyword: "egg", order: .mostPopular, limit: .max, email: "a@b.example"))
            show(RecipeSearch.tapResult(
                screen: .home, recipeId: 42, on: Date(), at: Date(timeIntervalSince1970: 0), in: true))
            show(RecipeSearch.plain(screen: .home))
            var context = CommonPayload(appVersion: "1.0")
            context.userId = 7
            var fields = FieldEncoder()
            context.encode(into: &fields)
            print(fields.lines.joined(separator: " "))
            """
        let sources = [
            "g.swift": try generate("Reference"), "team.swift": GeneratedCodeTests.team, "main.swift": main,
        ]
        let built = try compile(sources, ["-warnings-as-errors", "-lDaybook", "-o", "show"], in: folder)
        #expect(built.status == 0, "\(built.output.prefix(4000))")
        let shown = try ProcessResult.run(["./show"], in: folder)
        #expect(
            shown.output == """
                recipe_search.search screen=string("home") keyword=egg<8
                recipe_search.search screen=string("results") keyword=egg<8 order=string("most_popular") limit=2147483647 email=hash
                recipe_search.tap_result screen=string("home") recipe_id=42 on=day at=date in=true
                recipe_search.plain screen=string("home")
                user_id=7 app_version=1.0<32

                """)
    }

    @Test("Generated events reject values that do not fit if the project says so") func rejectsByProjectRule() throws {
        let main = """
            import Daybook

            var fields = FieldEncoder()
            RecipeSearch.search(screen: .home, keyword: "egg", limit: .max).encode(into: &fields)
            CommonPayload(appVersion: "1.0").encode(into: &fields)
            print(fields.lines.joined(separator: " "))
            """
        var options = SwiftOptions()
        options.overflow = .reject
        let sources = [
            "g.swift": try generate("Reference", options), "team.swift": GeneratedCodeTests.team,
            "main.swift": main,
        ]
        let built = try compile(sources, ["-warnings-as-errors", "-lDaybook", "-o", "show"], in: folder)
        #expect(built.status == 0, "\(built.output.prefix(4000))")
        let shown = try ProcessResult.run(["./show"], in: folder)
        // The stand-in shows `!` where the client library omits a value over the limit that follows.
        #expect(
            shown.output
                == "screen=string(\"home\") keyword=egg!8 limit=9223372036854775807! app_version=1.0!32\n")
    }

    @Test("A type that the app lacks is reported in the Markdown") func missingTypeInMarkdown() throws {
        let markdown = "# cat\n\n## event\n\n- screen: Screen\n- mood: Mood\n- [obsolete] old: Gone\n- tone: Tone\n"
        let definitions = load(["folder/cat.md": markdown]).definitions
        let own = GeneratedCodeTests.team + "\npublic struct Tone: Sendable {}\n"
        let result = try compile(
            ["g.swift": SwiftGenerator().generate(definitions, locatesTypes: true), "own.swift": own],
            ["-typecheck"], in: folder)
        let errors = result.output.split(separator: "\n").filter { $0.contains("error:") && !$0.contains("|") }
        #expect(errors.first?.hasPrefix("folder/cat.md:6:") == true, "\(result.output.prefix(4000))")
        #expect(errors.first?.hasSuffix("error: cannot find type 'Mood' in scope") == true)
        let tone = errors.first { $0.hasPrefix("folder/cat.md:8:") }
        #expect(tone?.hasSuffix("type 'Tone' does not conform to protocol 'LogValue'") == true)
        let sound =
            own.replacing("Tone: Sendable {}", with: "Tone: LogValue { public var logValue: Value { .int(1) } }")
            + "public enum Mood: String, LogValue { case good }\n"
        let rest = try compile(
            ["g.swift": SwiftGenerator().generate(definitions, locatesTypes: true), "own.swift": sound],
            ["-typecheck", "-warnings-as-errors"], in: folder)
        #expect(rest.status == 0, "\(rest.output.prefix(4000))")
        // Code that a team checks in does not depend on where its files are.
        #expect(!SwiftGenerator().generate(definitions).contains("#sourceLocation"))
    }

    @Test("Obsolete events fail to compile and obsolete columns warn") func obsoleteWarnsOrFails() throws {
        let main = """
            func show() {
                _ = RecipeSearch.search(screen: .home, keyword: "egg", page: 3)
                _ = RecipeSearch.search(screen: .home, keyword: "egg", limit: 3, page: 3, oldOrder: "gone")
                _ = RecipeSearch.search(screen: .home, keyword: "egg", oldOrder: nil)
                _ = CommonPayload(appVersion: "1.0", carrier: "x")
                _ = RecipeSearch.tapBanner(screen: .home, status: 3)
            }
            """
        let sources = [
            "g.swift": try generate("Reference"), "team.swift": GeneratedCodeTests.team, "use.swift": main,
        ]
        let result = try compile(sources, ["-typecheck"], in: folder)
        let found = result.output.split(separator: "\n").filter { $0.hasPrefix("use.swift:") }
            .map { $0.split(separator: " [")[0] }
        #expect(
            found == [
                "use.swift:2:22: warning: 'search(screen:keyword:order:limit:email:page:oldOrder:)' is deprecated: the column page is obsolete: since 3.8",
                "use.swift:3:22: warning: 'search(screen:keyword:order:limit:email:page:oldOrder:)' is deprecated: the column page is obsolete: since 3.8",
                "use.swift:4:22: warning: 'search(screen:keyword:order:limit:email:oldOrder:)' is deprecated: the column old_order is obsolete",
                "use.swift:5:9: warning: 'init(userId:appVersion:carrier:)' is deprecated: the column carrier is obsolete",
                "use.swift:6:22: error: 'tapBanner(screen:status:)' is unavailable: recipe_search.tap_banner is obsolete: Replaced by \"campaign\" in 4.0.",
            ])
    }
}
