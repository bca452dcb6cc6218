import Foundation
import Testing

@testable import DaybookDefinitions

struct KotlinGeneratorTests {
    private static let hasCompiler =
        (try? ProcessResult.run(["sh", "-c", "command -v kotlinc && command -v java"]).status) == 0

    @Test func kotlinEqualsTheReferenceFile() throws {
        try expect(
            KotlinGenerator(package: "com.example.log").generate(try referenceDefinitions()),
            equalsFixture: "Reference/expected.kt.txt")
    }

    @Test func proseCannotLeaveItsComment() {
        let definitions = load(["a.md": "# a\n\n## x\n\nends */ here /* begins\n\n- n: !bigint\n  - a */ note\n"])
            .definitions
        let text = KotlinGenerator(package: "p").generate(definitions)
        #expect(!text.contains("ends */"))
        #expect(!text.contains("a */"))
        #expect(!text.contains("here /*"))
    }

    @Test func anyValueBecomesAnEntryOfItsOwn() {
        let entries = KotlinName.entries(["most_popular", "most-popular", "1st", "", "新着", "$\"\\"])
        #expect(entries.map(\.name) == ["MOST_POPULAR", "MOST_POPULAR_", "_1ST", "VALUE", "新着", "VALUE_"])
        #expect(KotlinName.literal("$\"\\\n新") == "\"\\$\\\"\\\\\\u000a\\u65b0\"")
    }

    @Test(.enabled(if: hasCompiler, "kotlinc or java is not installed (Debian's package is kotlin)"))
    func generatedEventsCallOpenTelemetry() throws {
        let main = """
            package com.example.log

            import io.opentelemetry.api.common.AttributeKey
            import io.opentelemetry.api.logs.*
            import java.time.*

            enum class Screen(override val logValue: String) : LogValue { HOME("home") }

            class Printing : Logger, LogRecordBuilder {
                var line = ""
                override fun logRecordBuilder() = this
                override fun setSeverity(severity: Severity): LogRecordBuilder { line = "$severity"; return this }
                override fun setEventName(eventName: String): LogRecordBuilder { line += " $eventName"; return this }
                override fun <T> setAttribute(key: AttributeKey<T>, value: T): LogRecordBuilder {
                    line += " ${key.key}=$value"
                    return this
                }
                override fun emit() = println(line)
            }

            fun main() {
                val log = EventLog(Printing(), null) { "#${it.length}" }
                log.post(RecipeSearch.Search(Screen.HOME, keyword = "卵かけご飯"))
                log.context = CommonPayload(userId = 7, appVersion = "1.0")
                log.post(RecipeSearch.Search(
                    Screen.HOME, "egg", SearchOrder.MOST_POPULAR, limit = Int.MAX_VALUE, email = "a@b.example"))
                log.post(RecipeSearch.TapResult(
                    Screen.HOME, 42, LocalDate.of(2026, 11, 20), Instant.ofEpochSecond(0), `in` = true))
            }
            """
        let rejecting = """
            package com.example.log

            fun main() {
                val log = EventLog(Printing(), null) { it }
                log.post(RecipeSearch.Search(Screen.HOME, keyword = "卵かけご飯"))
                log.post(RecipeSearch.Search(Screen.HOME, keyword = "12345678"))
            }
            """
        try withTemporaryFolder { folder in
            let definitions = try referenceDefinitions()
            try folder.write(KotlinGenerator(package: "com.example.log").generate(definitions), to: "g.kt")
            try folder.write(main, to: "main.kt")
            try compile(["g.kt", "main.kt"], ["-include-runtime", "-d", "main.jar"], in: folder)
            let shown = try ProcessResult.run(["java", "-cp", "main.jar", "com.example.log.MainKt"], in: folder)
            let other = KotlinGenerator(package: "com.example.log", overflow: .reject).generate(definitions)
            try folder.write(other, to: "g.kt")
            try folder.write(main.replacing("fun main()", with: "fun unused()"), to: "printing.kt")
            try folder.write(rejecting, to: "main.kt")
            try compile(["g.kt", "printing.kt", "main.kt"], ["-include-runtime", "-d", "main.jar"], in: folder)
            let rejected = try ProcessResult.run(["java", "-cp", "main.jar", "com.example.log.MainKt"], in: folder)
            #expect(
                rejected.output == """
                    INFO recipe_search.search screen=home daybook.rejected.keyword=too_long
                    INFO recipe_search.search screen=home keyword=12345678

                    """)
            #expect(
                shown.output == """
                    INFO recipe_search.search screen=home keyword=卵か
                    INFO recipe_search.search screen=home keyword=egg order=most_popular limit=2147483647 email=#11 user_id=7 app_version=1.0
                    INFO recipe_search.tap_result screen=home recipe_id=42 on=2026-11-20 at=1970-01-01T00:00:00Z in=true user_id=7 app_version=1.0

                    """)
        }
    }

    @Test(.enabled(if: hasCompiler, "kotlinc or java is not installed (Debian's package is kotlin)"))
    func obsoleteEventsFailAndObsoleteColumnsWarn() throws {
        let files = [
            "a.md": "# a\n\n## x\n\n- n: !bigint\n- [obsolete] page: !smallint\n    - since 3.8\n- s: !string?\n"
                + "- [obsolete] old: Gone\n\n## y\n\n- [obsolete] page: !smallint\n\n## [obsolete] z\n\nUse x.\n"
        ]
        let use = """
            package p
            fun use(log: EventLog) {
                log.post(A.X(1))
                log.post(A.X(1, "s"))
                log.post(A.X(1, page = 3))
                log.post(A.X(1, 3, "s", "gone"))
                log.post(A.X(1, old = "gone"))
                log.post(A.Y)
                log.post(A.Y(page = 3))
            }
            """
        try withTemporaryFolder { folder in
            try folder.write(KotlinGenerator(package: "p").generate(load(files).definitions), to: "g.kt")
            try folder.write(use, to: "use.kt")
            let warned = try run(["g.kt", "use.kt"], ["-d", "out"], in: folder)
            #expect(warned.status == 0, "\(warned.output)")
            let warnings = warned.output.split(separator: "\n").filter { $0.contains("use.kt:") }
            #expect(warnings.map { $0.contains("is obsolete") } == [true, true, true, true], "\(warned.output)")
            try folder.write("package p\nfun f(log: EventLog) = log.post(A.Z)\n", to: "use.kt")
            let failed = try run(["g.kt", "use.kt"], ["-d", "out"], in: folder)
            #expect(failed.status != 0)
            #expect(failed.output.contains("a.z is obsolete: Use x."), "\(failed.output)")
        }
    }

    @Test(.enabled(if: hasCompiler, "kotlinc or java is not installed (Debian's package is kotlin)"))
    func everyNameAndTypeCompiles() throws {
        let definitions = try DefinitionsFolder.load(fixtures.appending(path: "Kitchen").path).0
        let types = SwiftTypes(definitions, options: SwiftOptions())
        let declared = Set(types.declared.map(\.name))
        let own = Set(definitions.columnSites.map(\.column.type).filter(\.isCustom).map(\.name)).subtracting(declared)
        try withTemporaryFolder { folder in
            try folder.write(KotlinGenerator(package: "kitchen").generate(definitions), to: "g.kt")
            let classes = own.sorted().map { "class \($0)(override val logValue: String) : LogValue\n" }
            try folder.write("package kitchen\n" + classes.joined(), to: "own.kt")
            try compile(["g.kt", "own.kt"], ["-d", "out"], in: folder)
        }
    }

    private func run(_ files: [String], _ options: [String], in folder: URL) throws -> ProcessResult {
        let api = ["Common.kt", "Logs.kt"].map { fixtures.appending(path: "Kotlin/\($0)").path }
        return try ProcessResult.run(["kotlinc"] + files + api + options, in: folder)
    }

    private func compile(_ files: [String], _ options: [String], in folder: URL) throws {
        let result = try run(files, options + ["-nowarn"], in: folder)
        try #require(result.status == 0, "\(result.output.prefix(4000))")
    }
}
